import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/**
 * Builds the portal into .portal/, from where the service serves it. Does nothing if the sources
 * have not changed.
 */

const ROOT = new URL("../", import.meta.url);
const BUILT = new URL(".portal/", ROOT);
/** Files that a build depends on, besides portal/. */
const SOURCES = [
  "package-lock.json",
  "src/client.ts",
  "src/http/pages/tokens.css",
  "src/tickets/filter_terms.ts",
];

async function main(): Promise<void> {
  const stamp = await stampOfSources();
  if (stamp === await readStamp()) return;
  if (!await canBuild()) {
    console.log("handoff: the portal is not built, because the packages for it are not installed (npm ci)");
    return;
  }
  // The portal is built in another folder and moved to its place when it is complete, so that two
  // simultaneous starts don't mix their files.
  const folder = await Deno.makeTempDir({ dir: ROOT.pathname, prefix: ".portal-" });
  // The mode is set here, because a test's NODE_ENV would build React for developers, at three
  // times the size.
  Deno.env.set("NODE_ENV", "production");
  const vite = await import("vite");
  const root = new URL("./", import.meta.url).pathname;
  await vite.build({
    root,
    configFile: `${root}vite.config.ts`,
    logLevel: "warn",
    build: { outDir: folder, emptyOutDir: true },
  });
  await nameFiles(folder, stamp);
  await compress(`${folder}/assets/`, Deno.args.includes("--brotli"));
  await Deno.writeTextFile(`${folder}/stamp`, stamp);
  await Deno.chmod(folder, 0o755);
  await replace(folder);
}

/** A digest over the names and contents of all sources. */
async function stampOfSources(): Promise<string> {
  const paths = [...SOURCES];
  for await (const path of filesBelow("portal")) paths.push(path);
  const hash = createHash("sha256");
  for (const path of paths.sort()) hash.update(`${path}\0`).update(await Deno.readFile(new URL(path, ROOT)));
  return hash.digest("hex");
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) yield* filesBelow(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}

async function readStamp(): Promise<string | null> {
  return await Deno.readTextFile(new URL("stamp", BUILT)).catch(() => null);
}

async function canBuild(): Promise<boolean> {
  return await Deno.stat(new URL("node_modules/vite/package.json", ROOT)).then(() => true, () => false);
}

/** Tells the service worker which files this build has. */
async function nameFiles(folder: string, version: string): Promise<void> {
  const files: string[] = [];
  for await (const { name } of Deno.readDir(`${folder}/assets`)) files.push(`/assets/${name}`);
  const path = `${folder}/service_worker.js`;
  const build = JSON.stringify({ version, files: files.sort() });
  await Deno.writeTextFile(path, `const BUILD = ${build};\n${await Deno.readTextFile(path)}`);
}

/**
 * Writes the compressed forms of each file next to the file, so that the service doesn't have to
 * compress anything.
 */
async function compress(folder: string, withBrotli: boolean): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const bytes = await Deno.readFile(folder + name);
    await Deno.writeFile(`${folder}${name}.gz`, gzipSync(bytes, { level: 9 }));
    if (!withBrotli) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    await Deno.writeFile(`${folder}${name}.br`, brotliCompressSync(bytes, { params }));
  }
}

async function replace(folder: string): Promise<void> {
  await Deno.remove(BUILT, { recursive: true }).catch(() => undefined);
  // Another start may have put its own build there in between. Both builds are the same.
  await Deno.rename(folder, BUILT).catch(() => Deno.remove(folder, { recursive: true }));
}

if (import.meta.main) await main();
