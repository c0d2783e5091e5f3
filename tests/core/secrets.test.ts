import { expect, test } from "vitest";
import { ConfigError } from "../../db/errors.ts";
import { parseConfig } from "../../src/core/config.ts";
import { loadSecrets } from "../../src/core/secrets.ts";

test("a secret is generated once, and what is left of its file is not taken for one", async () => {
  const DATA_DIR = await Deno.makeTempDir({ prefix: "handoff-test-" });
  const config = parseConfig({ DATA_DIR });
  const first = await loadSecrets(config);
  expect(await loadSecrets(config)).toEqual(first);
  for (const left of ["", "\n", "a".repeat(31)]) {
    await Deno.writeTextFile(`${DATA_DIR}/auth_secret`, left);
    const refused = expect(loadSecrets(config)).rejects;
    await refused.toThrow(ConfigError);
    await refused.toThrow(/^AUTH_SECRET: .*auth_secret holds no secret: /);
  }
  await Deno.remove(DATA_DIR, { recursive: true });
});
