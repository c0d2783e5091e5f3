import { createHash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { whilePaused } from "./backup_socket.ts";
import { lockFolder } from "./pglite.ts";
import { exists, makeIn, removeIfPresent, requireEmbedded } from "./files.ts";
import { applyMigrations } from "./migrate.ts";
import { openDatabase } from "./open.ts";

/**
 * The secret that signs and encrypts. It is the only file of a data folder that must be kept in
 * addition to the database, because every other file is created again.
 */
const SECRET = "auth_secret";
/**
 * The file is in the format of sha256sum. Only these sums show whether a backup is still intact
 * after it was packed, sent and unpacked.
 */
const SUMS = "SHA256SUMS";

/**
 * Copies the embedded database of `dataDir` into the new folder `target`, whether or not the
 * service runs. The folder gets its name when it is complete. It holds secrets, so its mode is
 * 0700.
 * @throws {Error} if there is no database, `target` exists, or `signal` was aborted. No copy is
 * left in these cases.
 */
export async function backUp(dataDir: string, target: string, signal?: AbortSignal): Promise<void> {
  const home = resolve(dataDir);
  const folder = resolve(target);
  await requireEmbedded(home);
  await refuseExisting(folder);
  const unfinished = await newFolderBeside(folder);
  const copy = () => copyHome(home, unfinished, signal);
  try {
    if (!await whilePaused(home, copy, signal)) await whileLocked(home, copy);
    await Deno.writeTextFile(join(unfinished, SUMS), await sumsOf(unfinished, signal), { mode: 0o600 });
    await refuseExisting(folder);
    await Deno.rename(unfinished, folder);
  } catch (error) {
    await removeIfPresent(unfinished);
    signal?.throwIfAborted();
    throw error;
  }
}

async function refuseExisting(folder: string): Promise<void> {
  if (await exists(folder)) throw new Error(`${folder} exists already: name a new folder for the backup`);
}

/**
 * Makes a folder for this call alone, because another call may back up to the same target at the
 * same time. Mode 0700.
 */
async function newFolderBeside(folder: string): Promise<string> {
  const dir = dirname(folder);
  return await makeIn(dir, async () => {
    await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
    return await Deno.makeTempDir({ dir, prefix: `${basename(folder)}.`, suffix: ".unfinished" });
  });
}

interface Restored {
  tickets: number;
  /** The migrations that the backup lacked. */
  applied: string[];
  /**
   * Whether the backup is known to be complete. This is unknown for backups of earlier versions,
   * which have no sums.
   */
  whole: boolean;
}

/**
 * Puts a backup into `dataDir`, which must hold no database yet. The database gets its name there
 * after it was opened and migrated. A restore that fails leaves the folder free for another backup.
 * @param unchecked takes a backup without sums, of which nobody knows whether it is complete
 * @throws {Error} when there is a database, or `source` is no backup, was changed or can't be
 * opened
 */
export async function restore(source: string, dataDir: string, unchecked = false): Promise<Restored> {
  const home = resolve(dataDir);
  if (!await exists(join(source, "db", "PG_VERSION"))) {
    throw new Error(`${resolve(source)} is not a backup of a database`);
  }
  return await whileLocked(home, async () => {
    if (await exists(join(home, "db"))) {
      throw new Error(`${home} holds a database already: restore into an empty DATA_DIR`);
    }
    const whole = await checkSums(source);
    if (!whole && !unchecked) {
      throw new Error(
        `${
          resolve(source)
        } has no ${SUMS}, so nobody knows whether it is complete. With --unchecked it is restored nevertheless`,
      );
    }
    // A killed process may leave this folder behind. The next restore or a first start removes the
    // folder.
    const unfinished = join(home, "db.new");
    try {
      await removeIfPresent(unfinished);
      await Deno.mkdir(unfinished, { mode: 0o700 });
      await copyFolder(join(source, "db"), join(unfinished, "db"));
      const found = await bringUpToDate(unfinished).catch((error: Error) => {
        throw new Error(`${resolve(source)} can't be used: ${error.message}`, { cause: error });
      });
      await copySecret(source, home);
      await Deno.rename(join(unfinished, "db"), join(home, "db"));
      return { ...found, whole };
    } finally {
      await removeIfPresent(unfinished);
    }
  });
}

async function bringUpToDate(dataDir: string): Promise<Omit<Restored, "whole">> {
  const { sql, close } = await openDatabase({ dataDir });
  try {
    const applied = await applyMigrations(sql);
    const [row] = await sql<[{ tickets: number }]>`select count(*) as tickets from tickets`;
    return { tickets: row.tickets, applied };
  } finally {
    await close();
  }
}

/**
 * Returns false if the backup has no sums. Without sums a truncated or missing file is not noticed,
 * because the database may open nevertheless, with a part of its rows missing.
 */
async function checkSums(source: string): Promise<boolean> {
  if (!await exists(join(source, SUMS))) return false;
  const [told, found] = [await Deno.readTextFile(join(source, SUMS)), await sumsOf(source)]
    .map((text) => new Set(text.split("\n"))) as [Set<string>, Set<string>];
  const [other] = told.symmetricDifference(found);
  if (other === undefined) return true;
  throw new Error(
    `${resolve(source)} has changed since the backup, according to its ${SUMS}: ${other.slice(66)}`,
  );
}

/** Returns one line for each file of a backup. */
async function sumsOf(folder: string, signal?: AbortSignal): Promise<string> {
  const lines: string[] = [];
  for await (const path of backedUp(folder)) {
    signal?.throwIfAborted();
    const hash = createHash("sha256");
    const { readable } = await Deno.open(join(folder, path));
    for await (const bytes of readable) hash.update(bytes);
    lines.push(`${hash.digest("hex")}  ${path}\n`);
  }
  return lines.join("");
}

async function* backedUp(folder: string): AsyncGenerator<string> {
  if (await exists(join(folder, SECRET))) yield SECRET;
  yield* filesIn(folder, "db");
}

async function* filesIn(folder: string, path: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(folder, path))) {
    if (isDirectory) yield* filesIn(folder, `${path}/${name}`);
    else yield `${path}/${name}`;
  }
}

/** Holds the folder's lock, so that no service runs or starts on the folder during `work`. */
async function whileLocked<T>(home: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockFolder(home);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function copyHome(home: string, target: string, signal?: AbortSignal): Promise<void> {
  await copyFolder(join(home, "db"), join(target, "db"), signal);
  await copySecret(home, target);
}

async function copySecret(from: string, to: string): Promise<void> {
  if (!await exists(join(from, SECRET))) return;
  await Deno.copyFile(join(from, SECRET), join(to, SECRET));
  // The file may have lost its mode when the backup was packed and unpacked.
  await Deno.chmod(join(to, SECRET), 0o600);
}

async function copyFolder(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await Deno.mkdir(to, { mode: 0o700 });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    signal?.throwIfAborted();
    if (isDirectory) await copyFolder(join(from, name), join(to, name), signal);
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}
