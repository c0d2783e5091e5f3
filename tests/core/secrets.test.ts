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

test("a secret that others could read is closed to them, and so is its folder, if nothing else lies there", async () => {
  const folder = await Deno.makeTempDir({ prefix: "handoff-test-" });
  const config = parseConfig({ DATA_DIR: folder });
  const modes = () => [folder, `${folder}/auth_secret`].map((path) => Deno.statSync(path).mode! & 0o777);
  await Deno.chmod(folder, 0o777);
  const made = await loadSecrets(config);
  expect(modes()).toEqual([0o700, 0o600]);
  for (const mode of [0o644, 0o660, 0o602]) {
    await Deno.chmod(`${folder}/auth_secret`, mode);
    expect(await loadSecrets(config)).toEqual(made);
    expect(modes()).toEqual([0o700, 0o600]);
  }
  await Deno.writeTextFile(`${folder}/another`, "");
  await Deno.chmod(folder, 0o755);
  await loadSecrets(config);
  expect(modes()).toEqual([0o755, 0o600]);
  await Deno.remove(folder, { recursive: true });
});

test("a secret that another user made or points to is refused, because they know it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "handoff-test-" });
  const config = parseConfig({ DATA_DIR: folder });
  const path = `${folder}/auth_secret`;
  const owner = Deno.uid() === 0 ? 10001 : 0;
  const refused = `AUTH_SECRET: ${path} belongs to user ${owner}`;
  if (owner === 0) await Deno.symlink("/etc/passwd", path);
  else {
    await Deno.writeTextFile(path, "A".repeat(43));
    await Deno.chown(path, owner, null);
    await expect(loadSecrets(config)).rejects.toThrow(refused);
    await Deno.rename(path, `${folder}/planted`);
    await Deno.symlink("planted", path);
  }
  await expect(loadSecrets(config)).rejects.toThrow(refused);
  await Deno.remove(folder, { recursive: true });
});
