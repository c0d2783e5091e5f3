import { join, resolve } from "node:path";
import { whilePaused } from "./backup.ts";
import { lockFolder } from "./embedded.ts";
import { exists, removeIfPresent } from "./files.ts";

/** What a data folder holds that is not made anew: the database, and the secret that signs and encrypts. */
const SECRET = "auth_secret";

/**
 * Copies the embedded database of `dataDir` into the new folder `target`, whether or not the service runs. The folder
 * gets its name when it is complete. It holds secrets: mode 0700.
 * @throws {Error} when there is no database, or `target` exists
 */
export async function backUp(dataDir: string, target: string): Promise<void> {
  const home = resolve(dataDir);
  const folder = resolve(target);
  if (!await exists(join(home, "db"))) throw new Error(`There is no embedded database in ${home}`);
  if (await exists(folder)) throw new Error(`${folder} exists already: name a new folder for the backup`);
  const unfinished = `${folder}.unfinished`;
  const copy = () => copyHome(home, unfinished);
  try {
    if (!await whilePaused(home, copy)) await whileLocked(home, copy);
    await Deno.rename(unfinished, folder);
  } catch (error) {
    await removeIfPresent(unfinished);
    throw error;
  }
}

/**
 * Puts a backup into `dataDir`, which must hold no database yet.
 * @throws {Error} when it does, or `source` is no backup
 */
export async function restore(source: string, dataDir: string): Promise<void> {
  const home = resolve(dataDir);
  if (!await exists(join(source, "db", "PG_VERSION"))) {
    throw new Error(`${resolve(source)} is no backup of a database`);
  }
  await whileLocked(home, async () => {
    if (await exists(join(home, "db"))) {
      throw new Error(`${home} holds a database already: restore into an empty DATA_DIR`);
    }
    const unfinished = join(home, "db.restored");
    await removeIfPresent(unfinished);
    await copyFolder(join(source, "db"), unfinished);
    await copySecret(source, home);
    await Deno.rename(unfinished, join(home, "db"));
  });
}

/** No service runs on the folder, and none starts meanwhile. */
async function whileLocked(home: string, work: () => Promise<void>): Promise<void> {
  const lock = await lockFolder(home);
  try {
    await work();
  } finally {
    lock.close();
  }
}

async function copyHome(home: string, target: string): Promise<void> {
  await removeIfPresent(target);
  await Deno.mkdir(target, { recursive: true, mode: 0o700 });
  await copyFolder(join(home, "db"), join(target, "db"));
  await copySecret(home, target);
}

async function copySecret(from: string, to: string): Promise<void> {
  if (await exists(join(from, SECRET))) await Deno.copyFile(join(from, SECRET), join(to, SECRET));
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { mode: 0o700 });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}
