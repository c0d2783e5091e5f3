import { join } from "node:path";
import type { Engine } from "./pglite_engine.ts";
import { removeIfPresent } from "./files.ts";

/**
 * Only the owner of the database's files may use the socket, so the socket gives nobody more access
 * than before.
 */
const SOCKET = "backup.sock";
/**
 * The time limit of a copy, because requests wait while files are copied. A copy that takes longer
 * is not valid.
 */
const LONGEST_PAUSE_MS = 60_000;

/**
 * Lets another process of the same user copy the files of a running database. A connection pauses
 * the engine. The socket sends `ready`, the other process sends `done` after it has copied the
 * files, and the socket sends `ok` if the engine was paused all the time.
 */
export async function serveBackups(home: string, engine: Engine): Promise<{ close(): Promise<void> }> {
  const path = join(home, SOCKET);
  await removeIfPresent(path);
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o600);
  const served = serveEach(listener, engine);
  return {
    async close() {
      listener.close();
      await served;
      await removeIfPresent(path);
    },
  };
}

/** Serves one connection after the other, so a second backup waits for the first. */
async function serveEach(listener: Deno.UnixListener, engine: Engine): Promise<void> {
  for await (const connection of listener) {
    const timer = setTimeout(() => connection.close(), LONGEST_PAUSE_MS);
    try {
      await engine.pause();
      await say(connection, "ready");
      if (await hear(connection) === "done") await say(connection, "ok");
    } catch (error) {
      // The other process notices that its connection ends before the ok, and deletes its copy.
      if (!isConnectionEnd(error)) throw error;
    } finally {
      engine.resume();
      clearTimeout(timer);
      close(connection);
    }
  }
}

/**
 * Runs `copy` while the running database of `home` is paused. Returns false if no database runs
 * there.
 * @throws {Error} if the database was not paused until the end, or `signal` was aborted
 */
export async function whilePaused(
  home: string,
  copy: () => Promise<void>,
  signal?: AbortSignal,
): Promise<boolean> {
  const connection = await connect(home);
  if (!connection) return false;
  const leave = () => close(connection);
  signal?.addEventListener("abort", leave);
  try {
    signal?.throwIfAborted();
    if (await hear(connection) !== "ready") throw new Error("The running service gave up on the backup");
    await copy();
    if (!await isConfirmed(connection)) {
      throw new Error(
        `The service ended, or went on after ${
          LONGEST_PAUSE_MS / 1000
        } s, before the copy was complete: back up again`,
      );
    }
    return true;
  } finally {
    signal?.removeEventListener("abort", leave);
    leave();
  }
}

async function isConfirmed(connection: Deno.UnixConn): Promise<boolean> {
  try {
    await say(connection, "done");
    return await hear(connection) === "ok";
  } catch (error) {
    if (isConnectionEnd(error)) return false;
    throw error;
  }
}

async function connect(home: string): Promise<Deno.UnixConn | null> {
  try {
    return await Deno.connect({ transport: "unix", path: join(home, SOCKET) });
  } catch (error) {
    // A killed service leaves its socket file behind.
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused) return null;
    throw error;
  }
}

async function say(connection: Deno.UnixConn, word: string): Promise<void> {
  await connection.write(new TextEncoder().encode(`${word}\n`));
}

/**
 * Reads one word. Every word is shorter than a packet. "" means that the other process has gone.
 */
async function hear(connection: Deno.UnixConn): Promise<string> {
  const buffer = new Uint8Array(16);
  const length = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, length ?? 0)).trim();
}

function isConnectionEnd(error: unknown): boolean {
  return [
    Deno.errors.BrokenPipe,
    Deno.errors.ConnectionReset,
    Deno.errors.BadResource,
    Deno.errors.Interrupted,
  ]
    .some((kind) => error instanceof kind);
}

function close(connection: Deno.UnixConn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
