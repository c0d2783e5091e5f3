import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { makeDataFolder, removeIfPresent } from "../../db/files.ts";

/**
 * The socket of a sender is `send.` and six characters. This is no longer than the longest other name
 * in DATA_DIR, because the path of a socket has few bytes. The lock beside it is held by the process
 * that the sender works for.
 */
const LOCK = /^(send\.[0-9a-f]{6})\.lock$/;

/**
 * Names a socket in DATA_DIR for one sender alone. The name is random, because two containers that
 * share a folder have the same process ids.
 */
export function newSenderSocket(dataDir: string): string {
  return join(dataDir, `send.${randomBytes(3).toString("hex")}`);
}

/**
 * Marks a socket as that of a running process, until the file that is returned is closed or the
 * process ends. Removes what ended processes have left.
 */
export async function claimSocket(socket: string): Promise<Deno.FsFile> {
  const folder = dirname(socket);
  await makeDataFolder(folder);
  for (const { path, inUse } of await senderSockets(folder)) {
    if (!inUse) { for (const name of [path, `${path}.seen`, `${path}.lock`]) await removeIfPresent(name); }
  }
  // The file gets its name when it is locked, so that nobody takes it for one that was left.
  const draft = await Deno.makeTempFile({ dir: folder, prefix: "send." });
  const file = await Deno.open(draft, { write: true });
  await file.lock(true);
  await Deno.rename(draft, `${socket}.lock`);
  return file;
}

/** The sockets in a folder, and whether the process of each still runs. */
export async function senderSockets(folder: string): Promise<{ path: string; inUse: boolean }[]> {
  const names = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  return await Promise.all(names.flatMap(({ name }) => {
    const socket = LOCK.exec(name)?.[1];
    return socket === undefined ? [] : [inUse(join(folder, socket))];
  }));
}

async function inUse(path: string): Promise<{ path: string; inUse: boolean }> {
  try {
    using file = await Deno.open(`${path}.lock`, { write: true });
    return { path, inUse: !await file.tryLock(true) };
  } catch (error) {
    // Only another user's file can't be opened, and a file that was there a moment ago may be gone.
    return { path, inUse: !(error instanceof Deno.errors.NotFound) };
  }
}
