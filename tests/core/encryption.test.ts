import { describe, expect, test } from "vitest";
import { decrypt, encrypt, fingerprint, UnreadableSecret } from "../../src/core/encryption.ts";
import { parseConfig } from "../../src/core/config.ts";
import { loadSecrets } from "../../src/core/secrets.ts";

const [NEW, OLD] = ["n".repeat(32), "o".repeat(32)];

async function keysOf(ENCRYPTION_KEY: string) {
  const { encryption } = await loadSecrets(parseConfig({ AUTH_SECRET: "a".repeat(32), ENCRYPTION_KEY }));
  return encryption;
}

describe("a stored secret", () => {
  test("comes back as it was, and never twice as the same text", async () => {
    const keys = await keysOf(NEW);
    const sealed = encrypt(keys, "ghp_secret 😀", "here");
    expect(decrypt(keys, sealed, "here")).toEqual({ text: "ghp_secret 😀", stale: false });
    expect(sealed).not.toContain("secret");
    expect(encrypt(keys, "ghp_secret 😀", "here")).not.toBe(sealed);
  });

  test("of an older key can be read and is stale; without the key it is unreadable", async () => {
    const sealed = encrypt(await keysOf(OLD), "text", "here");
    expect(decrypt(await keysOf(`${NEW},${OLD}`), sealed, "here")).toEqual({ text: "text", stale: true });
    const onlyNew = await keysOf(NEW);
    expect(() => decrypt(onlyNew, sealed, "here")).toThrow(UnreadableSecret);
  });

  test("that an earlier version stored can still be read, under a key of its own or one derived", async () => {
    const stored = "v1.6f7beeea.Jxl5yC95IiQjZrnwm2dZOs_vrPH1fQ9xQx6DChsrXTLKitvW";
    expect(decrypt(await keysOf(NEW), stored, "here").text).toBe("ghp_kept");
    const derived = "v1.d3ae6e33.kUjOmf05woARWGraMD7V49PHXWufyw2f8dv4WlQvqVScEc8J";
    const { encryption } = await loadSecrets(parseConfig({ AUTH_SECRET: "a".repeat(32) }));
    expect(decrypt(encryption, derived, "here").text).toBe("ghp_kept");
  });

  test("that was changed, cut, or moved to another place is unreadable", async () => {
    const keys = await keysOf(NEW);
    const sealed = encrypt(keys, "text", "here");
    const flipped = sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA");
    for (const damaged of [flipped, sealed.slice(0, -8), sealed.slice(0, 14), "", "v2" + sealed.slice(2)]) {
      expect(() => decrypt(keys, damaged, "here"), damaged).toThrow(UnreadableSecret);
    }
    expect(() => decrypt(keys, sealed, "there")).toThrow(UnreadableSecret);
  });

  test("has a fingerprint that only the key makes", async () => {
    const [one, other] = [await keysOf(NEW), await keysOf(OLD)];
    expect(fingerprint(one[0], "secret")).toBe(fingerprint(one[0], "secret"));
    expect(fingerprint(one[0], "secret")).not.toBe(fingerprint(one[0], "secret "));
    expect(fingerprint(one[0], "secret")).not.toBe(fingerprint(other[0], "secret"));
  });
});
