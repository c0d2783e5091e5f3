import { join, resolve } from "node:path";
import { serveBackups } from "./backup_socket.ts";
import { startEngine } from "./pglite_engine.ts";
import { ConfigError, messageOf } from "./errors.ts";
import { exists, makeDataFolder, removeIfPresent } from "./files.ts";

interface Pglite {
  socketPath: string;
  close(): Promise<void>;
}

/**
 * Linux' sockaddr_un holds 108 bytes, the last of which is zero. `/backup.sock` is the longest name
 * in the folder.
 */
const LONGEST_FOLDER = 95;

/**
 * Starts PGlite with pgvector behind a Unix socket. It runs in a worker, so that SQL never runs on
 * the caller's event loop. `dataDir` gets `db.lock`, `db/` and `db.sock`. The lock ends with the
 * process that holds it, even on kill -9.
 * @throws {ConfigError} if another process uses the folder, or if the folder can't be written,
 * contains another user's database, or has a path that is too long for a socket
 */
export async function startPglite(
  dataDir: string,
  onDeath: (error: Error) => void,
  silenceMs?: number,
): Promise<Pglite> {
  const home = resolve(dataDir);
  const length = new TextEncoder().encode(home).length;
  if (length > LONGEST_FOLDER) {
    throw new ConfigError(
      `DATA_DIR: its path has ${length} bytes, but may have at most ${LONGEST_FOLDER}, because sockets lie in it`,
    );
  }
  const lock = await lockFolder(home);
  try {
    const folder = join(home, "db");
    const socketPath = join(home, "db.sock");
    await initialise(folder, socketPath);
    await refuseAnothers(home, folder);
    // PGlite creates files that anybody may write. With this mode only this user has access to
    // these files, no matter who created DATA_DIR and with which mode.
    await Deno.chmod(folder, 0o700);
    const engine = await startEngine({ folder, socketPath, onDeath, silenceMs });
    const backups = await serveBackups(home, engine);
    return {
      socketPath,
      async close() {
        await backups.close();
        await engine.close();
        await removeIfPresent(socketPath);
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Another process has the embedded database open. */
export class FolderInUse extends ConfigError {
  override name = "FolderInUse";
}

/**
 * Locks the folder, and creates it if it is missing.
 * @throws {FolderInUse}
 * @throws {ConfigError} when the folder can't be made or written
 */
export async function lockFolder(home: string): Promise<Deno.FsFile> {
  const file = await openLock(home);
  if (await file.tryLock(true)) return file;
  file.close();
  throw new FolderInUse(
    `DATA_DIR: the folder ${home} is in use by another process. ` +
      `Stop that process, choose another DATA_DIR, or set DATABASE_URL to share one PostgreSQL server.`,
  );
}

async function openLock(home: string): Promise<Deno.FsFile> {
  try {
    await makeDataFolder(home);
    const path = join(home, "db.lock");
    return await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  } catch (error) {
    throw new ConfigError(`DATA_DIR: no database can be kept in ${home}: ${messageOf(error)}`);
  }
}

/**
 * Refuses another user's database. Root may open it, but the files that root creates would keep the
 * database's own user out from then on. The owner is compared with that of a new file, because some
 * file systems give all files to one owner.
 */
async function refuseAnothers(home: string, folder: string): Promise<void> {
  const probe = await Deno.makeTempFile({ dir: home });
  const [{ uid: self }, { uid: owner }] = [await Deno.stat(probe), await Deno.stat(folder)];
  await Deno.remove(probe);
  if (owner === self) return;
  throw new ConfigError(
    `DATA_DIR: ${folder} belongs to user ${owner}, but files of this process belong to user ${self}: run it as the user of ` +
      `the service, such as by sudo -u '#${owner}', or give that folder with all that is in it to user ${self}`,
  );
}

/**
 * Creates the database under another name and renames it when complete, because a database whose
 * creation was interrupted would never open again.
 */
async function initialise(folder: string, socketPath: string): Promise<void> {
  if (await exists(folder)) return;
  const unfinished = `${folder}.new`;
  await removeIfPresent(unfinished);
  await Deno.mkdir(unfinished, { mode: 0o700 });
  let death: Error | undefined;
  const engine = await startEngine({ folder: unfinished, socketPath, onDeath: (error) => death = error });
  await engine.close();
  if (death) throw death;
  await Deno.rename(unfinished, folder);
}
