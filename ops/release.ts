import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { ConfigError } from "../db/errors.ts";
import { exists, removeIfPresent } from "../db/files.ts";
import { pathFromCaller, runParsed } from "./_cli.ts";

/**
 * Builds the release: one folder for each architecture that runs by `./handoff`, without npm, a
 * registry or a checkout. The code lies in it as a few files in bundle/. Each program has a file at
 * the place of its source that imports its part of the bundle, so that ops/start.sh and all addresses
 * relative to a source are the same in a checkout and in a release.
 */

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Each file that is run or started as a worker. */
const PROGRAMS = [
  "src/main.ts",
  "src/core/launch_flags.ts",
  "src/sending/main.ts",
  "src/embedding/worker.ts",
  "db/pglite_worker.ts",
  ...["backup", "doctor", "export", "import", "invite", "migrate", "move", "restore"].map((name) =>
    `ops/${name}.ts`
  ),
];

/** Packages with native code or files of their own, which stay packages. */
const KEPT = [
  "@electric-sql/pglite",
  "@electric-sql/pglite-pgvector",
  "@electric-sql/pglite-socket",
  "@node-rs/argon2",
  "onnxruntime-node",
];

/** Packages of the model's library that it never uses here: for browsers, and for pictures. */
const EMPTY = ["onnxruntime-web", "sharp"];

/** The files and folders of the checkout that a release has besides its code. */
const COPIED = [
  ".portal",
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "db/migrations",
  "deploy/handoff-backup.service",
  "deploy/handoff-backup.timer",
  "deploy/handoff.service",
  "docs",
  "models",
  "node_modules/swagger-ui-dist/LICENSE",
  "node_modules/swagger-ui-dist/swagger-ui-bundle.js",
  "node_modules/swagger-ui-dist/swagger-ui.css",
  "ops/start.sh",
  "src/http/pages/invite.html",
  "src/http/pages/invite.js",
  "src/http/pages/page.css",
  "src/http/pages/tokens.css",
];

/** The names of an architecture in the packages. */
const ARCHITECTURES = {
  x64: { deno: "@deno/linux-x64-glibc", argon2: "@node-rs/argon2-linux-x64-gnu" },
  arm64: { deno: "@deno/linux-arm64-glibc", argon2: "@node-rs/argon2-linux-arm64-gnu" },
};
type Architecture = keyof typeof ARCHITECTURES;

const emptyPackages: Plugin = {
  name: "empty-packages",
  resolveId: (id) => EMPTY.includes(id) ? `\0${id}` : null,
  load: (id) => EMPTY.includes(id.slice(1)) && id.startsWith("\0") ? "export default {};" : null,
};

/**
 * Gives each source the address that it has in a checkout, seen from bundle/, and tells each program
 * that it is the one that was started.
 */
const ownPlaces: Plugin = {
  name: "own-places",
  transform(code, id) {
    const path = relative(ROOT, id);
    if (path.startsWith("..") || path.startsWith("node_modules")) return null;
    return code
      .replaceAll("import.meta.url", `new URL("../${path}", import.meta.url).href`)
      .replaceAll("import.meta.main", String(PROGRAMS.includes(path)));
  },
};

await runParsed({ command: "release", takes: "[FOLDER]", options: {} }, async ({ positionals }, usage) => {
  if (positionals.length > 1) throw new Error(`Usage: ${usage}`);
  const [given] = positionals;
  if (given !== undefined && await exists(pathFromCaller(given))) {
    throw new ConfigError(`FOLDER: ${pathFromCaller(given)} exists already`);
  }
  const { version } = await readPackage("");
  await buildPortal();
  const own = Deno.build.arch === "aarch64" ? "arm64" : "x64";
  for (const architecture of given === undefined ? ["x64", "arm64"] as const : [own] as const) {
    const missing = await missingParts(architecture);
    if (missing.length > 0) {
      console.log(`linux-${architecture} is left out, because these packages are not installed: ${missing}`);
      continue;
    }
    const folder = given === undefined
      ? join(ROOT, "release", `handoff-${version}-linux-${architecture}`)
      : pathFromCaller(given);
    await removeIfPresent(folder);
    await build(folder, architecture);
    console.log(folder);
  }
});

async function build(folder: string, architecture: Architecture): Promise<void> {
  const { deno, argon2 } = ARCHITECTURES[architecture];
  await bundle(folder);
  for (const path of COPIED) await copy(path, folder, (path) => !path.endsWith(".tsx"));
  for (const name of [...KEPT, "onnxruntime-common", argon2]) await copyPackage(name, folder);
  const natives = join(folder, "node_modules/onnxruntime-node/bin/napi-v3");
  for (const system of ["darwin", "win32"]) await removeIfPresent(join(natives, system));
  for (const other of Object.keys(ARCHITECTURES)) {
    if (other !== architecture) await removeIfPresent(join(natives, "linux", other));
  }
  await copyFile(join(ROOT, "node_modules", deno, "deno"), join(folder, "node_modules/deno/deno"));
  await copyFile(join(ROOT, "ops/handoff.sh"), join(folder, "handoff"));
  await Deno.chmod(join(folder, "handoff"), 0o755);
  await writeSettings(folder);
}

/** Writes the code into bundle/, and a file for each program at the place of its source. */
async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(PROGRAMS.map((path) => [nameOf(path), join(ROOT, path)])),
    platform: "node",
    external: KEPT,
    plugins: [emptyPackages, ownPlaces],
    logLevel: "warn",
    // The packages' own circles and uses of eval are theirs.
    onLog: (level, log, handle) => log.id?.includes("node_modules") ? undefined : handle(level, log),
  });
  await build.write({ dir: join(folder, "bundle"), format: "esm", entryFileNames: "[name].js" });
  await build.close();
  for (const path of PROGRAMS) {
    const place = join(folder, path);
    await Deno.mkdir(dirname(place), { recursive: true });
    const target = relative(dirname(path), `bundle/${nameOf(path)}.js`);
    await Deno.writeTextFile(place, `import "${target}";\n`);
  }
}

/** `src/sending/main.ts` → `src_sending_main` */
function nameOf(program: string): string {
  return program.replace(/\.ts$/, "").replaceAll("/", "_");
}

async function writeSettings(folder: string): Promise<void> {
  const { name, version, license, dependencies } = await readPackage("");
  const kept = Object.fromEntries(KEPT.map((name) => [name, dependencies[name]]));
  const { nodeModulesDir, unstable } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const write = (path: string, value: unknown) =>
    Deno.writeTextFile(join(folder, path), JSON.stringify(value, null, 2) + "\n");
  await write("package.json", { name, version, license, private: true, type: "module", dependencies: kept });
  await write("deno.json", { nodeModulesDir, unstable });
}

async function readPackage(name: string) {
  const path = join(ROOT, name === "" ? "" : `node_modules/${name}`, "package.json");
  return JSON.parse(await Deno.readTextFile(path)) as {
    name: string;
    version: string;
    license: string;
    dependencies: Record<string, string>;
  };
}

async function missingParts(architecture: Architecture): Promise<string[]> {
  const parts = Object.values(ARCHITECTURES[architecture]);
  const there = await Promise.all(parts.map((name) => exists(join(ROOT, "node_modules", name))));
  return parts.filter((_, index) => !there[index]);
}

/** Copies a package without what only its developers need. */
async function copyPackage(name: string, folder: string): Promise<void> {
  await copy(
    `node_modules/${name}`,
    folder,
    (path) => !/\.(map|[cm]?ts|tsbuildinfo)$|\/(tests?|src|node_modules)\//.test(path),
  );
}

async function copy(path: string, folder: string, wanted = (_path: string) => true): Promise<void> {
  const from = join(ROOT, path);
  if (!(await Deno.stat(from)).isDirectory) return await copyFile(from, join(folder, path));
  for await (const { name } of Deno.readDir(from)) {
    if (wanted(`${path}/${name}`)) await copy(`${path}/${name}`, folder, wanted);
  }
}

async function copyFile(from: string, to: string): Promise<void> {
  await Deno.mkdir(dirname(to), { recursive: true });
  await Deno.copyFile(from, to);
}

async function buildPortal(): Promise<void> {
  const args = ["run", "-A", join(ROOT, "portal/build.ts"), "--brotli"];
  const { success } = await new Deno.Command(Deno.execPath(), { args, stdout: "inherit", stderr: "inherit" })
    .output();
  if (!success || !await exists(join(ROOT, ".portal/stamp"))) throw new Error("the portal was not built");
}
