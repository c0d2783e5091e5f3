import { join, resolve } from "node:path";

export type ToWorker = { folder: string; socketPath: string };
export type FromWorker = { kind: "ready" } | { kind: "closed" } | { kind: "broken"; message: string };

export interface Embedded {
  socketPath: string;
  close(): Promise<void>;
}

/** Linux' sockaddr_un holds 108 bytes, the last of them zero. */
const LONGEST_SOCKET_PATH = 107;
const RESTART_PAUSE_MS = 500;

/**
 * PGlite with pgvector behind a Unix socket, in a worker so that SQL never runs on the caller's event loop.
 * `dataDir` gets `db.lock`, `db/` and `db.sock`. The lock ends with its process, even on kill -9.
 */
export async function startEmbedded(
  dataDir: string,
  onCrash: (error: Error) => void = () => {},
): Promise<Embedded> {
  const home = resolve(dataDir);
  await Deno.mkdir(home, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(home);
  try {
    const socket = await prepareSocket(home);
    const folder = join(home, "db");
    await initialise(folder, socket.path);
    const server = await keepServing({ folder, socketPath: socket.path }, onCrash);
    return {
      socketPath: socket.path,
      async close() {
        await server.close();
        await socket.remove();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

async function lockFolder(home: string): Promise<Deno.FsFile> {
  const file = await Deno.open(join(home, "db.lock"), { create: true, read: true, write: true, mode: 0o600 });
  if (await file.tryLock(true)) return file;
  file.close();
  throw new Error(
    `Cannot open the embedded database: the folder ${home} is in use by another process. ` +
      `Stop that process, choose another DATA_DIR, or set DATABASE_URL to share one PostgreSQL server.`,
  );
}

async function prepareSocket(home: string): Promise<{ path: string; remove(): Promise<void> }> {
  const path = join(home, "db.sock");
  if (new TextEncoder().encode(path).length <= LONGEST_SOCKET_PATH) {
    const remove = () => removeIfPresent(path);
    await remove();
    return { path, remove };
  }
  const short = await Deno.makeTempDir({ prefix: "handoff-" });
  return { path: join(short, "db.sock"), remove: () => removeIfPresent(short) };
}

/** A folder killed half-way through its creation would never open again, so it gets its name when complete. */
async function initialise(folder: string, socketPath: string): Promise<void> {
  if (await exists(folder)) return;
  const unfinished = `${folder}.new`;
  await removeIfPresent(unfinished);
  const worker = await spawn({ folder: unfinished, socketPath });
  await stop(worker);
  await Deno.rename(unfinished, folder);
}

/** Serves until closed; an engine that crashes is replaced, and recovers from its write-ahead log. */
async function keepServing(
  order: ToWorker,
  onCrash: (error: Error) => void,
): Promise<{ close(): Promise<void> }> {
  let worker: Worker | undefined = await spawn(order, restart);
  let starting: Promise<void> = Promise.resolve();
  let closing = false;

  function restart(error: Error): void {
    worker?.terminate();
    worker = undefined;
    onCrash(error);
    starting = start();
  }

  async function start(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, RESTART_PAUSE_MS));
    if (closing) return;
    try {
      await removeIfPresent(order.socketPath);
      worker = await spawn(order, restart);
    } catch (error) {
      restart(error as Error);
    }
  }

  return {
    async close() {
      closing = true;
      await starting;
      if (worker) await stop(worker);
    },
  };
}

/** Resolves when the socket accepts connections. `onCrash` is called at most once, and only after that. */
function spawn(order: ToWorker, onCrash: (error: Error) => void = () => {}): Promise<Worker> {
  const worker = new Worker(new URL("./embedded_worker.ts", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    let ready = false;
    function crashed(message: string): void {
      worker.onmessage = null;
      worker.terminate();
      if (ready) onCrash(new Error(`The embedded database crashed and restarts: ${message}`));
      else reject(new Error(`Cannot open the embedded database in ${order.folder}: ${message}`));
    }
    worker.onerror = (event) => {
      event.preventDefault();
      crashed(event.message);
    };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "broken") return crashed(data.message);
      Deno.chmodSync(order.socketPath, 0o600);
      ready = true;
      resolve(worker);
    };
    worker.postMessage(order);
  });
}

function stop(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      worker.terminate();
      if (data.kind === "closed") resolve();
      else reject(new Error(`The embedded database did not close cleanly: ${JSON.stringify(data)}`));
    };
    worker.postMessage("stop");
  });
}

async function exists(path: string): Promise<boolean> {
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
