import { join, resolve } from "node:path";
import { messageOf } from "./errors.ts";

/** A path below a file doesn't exist, either. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** @throws {Error} if DATA_DIR holds no embedded database */
export async function requireEmbedded(dataDir: string): Promise<void> {
  if (!await exists(join(dataDir, "db"))) {
    throw new Error(`There is no embedded database in ${resolve(dataDir)}`);
  }
}

/**
 * Names the folder in which `make` could not make a file or folder, because the runtime doesn't
 * name a temporary one.
 */
export async function makeIn<T>(folder: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    const why = messageOf(error).replace(/: \w+( '.*')?$/, "");
    throw new Error(`cannot write to ${folder}: ${why}`, { cause: error });
  }
}

/** Removes a file, or a folder with everything in it. */
export async function removeIfPresent(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** The names of the service's own files in DATA_DIR. */
const OWN_NAMES = /^(auth_secret|db|backup|send)(\.|$)/;

/**
 * Creates DATA_DIR, to which only this user has access. An existing folder is closed to other
 * users, too, unless it contains files of another user.
 */
export async function makeDataFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await Deno.stat(path);
  if (mode === null || (mode & 0o077) === 0) return;
  for await (const { name } of Deno.readDir(path)) if (!OWN_NAMES.test(name)) return;
  // A failure is ignored, because some file systems have no modes, and the folder may belong to
  // another user. The files in the folder have modes of their own.
  await Deno.chmod(path, 0o700).catch(() => {});
}
