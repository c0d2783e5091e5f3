import { join, resolve } from "node:path";
import { serveBackups } from "./backup.ts";
import { startEngine } from "./engine.ts";

export interface Embedded {
  socketPath: string;
  close(): Promise<void>;
}

/** Linux' sockaddr_un holds 108 bytes, the last of them zero. */
const LONGEST_SOCKET_PATH = 107;

/**
 * PGlite with pgvector behind a Unix socket, in a worker so that SQL never runs on the caller's event loop.
 * `dataDir` gets `db.lock`, `db/` and `db.sock`. The lock ends with its process, even on kill -9.
 */
export async function startEmbedded(
  dataDir: string,
  onDeath: (error: Error) => void = () => {},
): Promise<Embedded> {
  const home = resolve(dataDir);
  await Deno.mkdir(home, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(home);
  try {
    const folder = join(home, "db");
    const socket = await placeSocket(home);
    await initialise(folder, socket.path);
    const engine = await startEngine({ folder, socketPath: socket.path, onDeath });
    const backups = await serveBackups(home, engine);
    return {
      socketPath: socket.path,
      async close() {
        await backups.close();
        await engine.close();
        await socket.remove();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** @throws {Error} when another process has the folder open */
export async function lockFolder(home: string): Promise<Deno.FsFile> {
  const path = join(home, "db.lock");
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return file;
  file.close();
  throw new Error(
    `Cannot open the embedded database: the folder ${home} is in use by another process. ` +
      `Stop that process, choose another DATA_DIR, or set DATABASE_URL to share one PostgreSQL server.`,
  );
}

async function placeSocket(home: string): Promise<{ path: string; remove(): Promise<void> }> {
  const path = join(home, "db.sock");
  if (new TextEncoder().encode(path).length <= LONGEST_SOCKET_PATH) {
    return { path, remove: () => removeIfPresent(path) };
  }
  const short = await Deno.makeTempDir({ prefix: "handoff-" });
  return { path: join(short, "db.sock"), remove: () => removeIfPresent(short) };
}

/** A folder killed half-way through its creation would never open again, so it gets its name when complete. */
async function initialise(folder: string, socketPath: string): Promise<void> {
  if (await exists(folder)) return;
  const unfinished = `${folder}.new`;
  await removeIfPresent(unfinished);
  let death: Error | undefined;
  const engine = await startEngine({ folder: unfinished, socketPath, onDeath: (error) => death = error });
  await engine.close();
  if (death) throw death;
  await Deno.rename(unfinished, folder);
}

export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function removeIfPresent(path: string): Promise<void> {
  if (await exists(path)) await Deno.remove(path, { recursive: true });
}
