import { expect, test } from "vitest";
import { ConfigError } from "../../db/errors.ts";
import { parseConfig } from "../../src/core/config.ts";
import { loadSecrets } from "../../src/core/secrets.ts";

test("a secret is generated once and for its owner alone, and what is left of its file is not taken for one", async () => {
  const folder = await Deno.makeTempDir({ prefix: "handoff-test-" });
  const DATA_DIR = `${folder}/data`;
  const config = parseConfig({ DATA_DIR });
  const [first, second] = await Promise.all([loadSecrets(config), loadSecrets(config)]);
  expect(second).toEqual(first);
  expect(await loadSecrets(config)).toEqual(first);
  expect(await Array.fromAsync(Deno.readDir(DATA_DIR), ({ name }) => name)).toEqual(["auth_secret"]);
  const modes = [DATA_DIR, `${DATA_DIR}/auth_secret`].map((path) => Deno.statSync(path).mode! & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  for (const left of ["", "\n", "a".repeat(31)]) {
    await Deno.writeTextFile(`${DATA_DIR}/auth_secret`, left);
    const refused = expect(loadSecrets(config)).rejects;
    await refused.toThrow(ConfigError);
    await refused.toThrow(/^AUTH_SECRET: .*auth_secret holds no secret: /);
  }
  await Deno.remove(folder, { recursive: true });
});
