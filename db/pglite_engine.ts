import { removeIfPresent } from "./files.ts";

export type ToWorker =
  | { kind: "open"; folder: string; socketPath: string }
  | { kind: "ping" | "pause" | "resume" | "close" };
export type FromWorker =
  | { kind: "ready" | "alive" | "paused" | "resumed" | "closed" }
  | { kind: "broken"; message: string };

export interface Engine {
  /**
   * Pauses the engine. Statements wait until `resume`. During the pause the files are in the same
   * state as after a kill, from which the database recovers. Rejects if the engine has died.
   */
  pause(): Promise<void>;
  resume(): void;
  close(): Promise<void>;
}

interface EngineOptions {
  folder: string;
  socketPath: string;
  onDeath: (error: Error) => void;
  /** Replaces SILENCE_MS for a command whose statements read or index whole tables. */
  silenceMs?: number | undefined;
}

const PING_EVERY_MS = 5_000;
/**
 * This is far above the time of any statement of the service, including migrations and vacuum,
 * because PGlite can't cancel a statement.
 */
const SILENCE_MS = 120_000;
const CLOSE_MS = 10_000;

/**
 * Resolves when the socket accepts connections. After that, `onDeath` is called at most once, when
 * the engine answers no more. The engine's thread may then be in an endless loop in which it
 * ignores `terminate`, so only the end of the process ends the thread.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { folder, socketPath, onDeath, silenceMs = SILENCE_MS } = options;
  await removeIfPresent(socketPath);
  const worker = new Worker(new URL("./pglite_worker.ts", import.meta.url), { type: "module" });
  const ready = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let paused: PromiseWithResolvers<void> | undefined;
  let state: "starting" | "serving" | "closing" | "gone" = "starting";
  // Silence is counted in pings and not by the clock. Otherwise a process that was itself stopped
  // for a while would count its own pause as silence of the engine.
  let unanswered = 0;

  const watch = setInterval(() => {
    if (state !== "serving") return;
    if (unanswered++ * PING_EVERY_MS > silenceMs) end(`no sign of life for ${silenceMs / 1000} s`);
    else send(worker, { kind: "ping" });
  }, PING_EVERY_MS);

  function end(message: string): void {
    const before = state;
    state = "gone";
    clearInterval(watch);
    worker.terminate();
    paused?.reject(new Error(`The embedded database ended: ${message}`));
    if (before === "starting") {
      ready.reject(new Error(`Cannot open the embedded database in ${folder}: ${message}`));
    }
    if (before === "closing") closed.resolve();
    if (before === "serving") onDeath(new Error(`The embedded database died: ${message}`));
  }

  worker.onerror = (event) => {
    event.preventDefault();
    end(event.message);
  };
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    unanswered = 0;
    if (data.kind === "broken") end(data.message);
    if (data.kind === "closed") end("closed");
    if (data.kind === "ready") ready.resolve();
    if (data.kind === "paused") paused?.resolve();
  };

  send(worker, { kind: "open", folder, socketPath });
  await ready.promise;
  await Deno.chmod(socketPath, 0o600);
  state = "serving";

  return {
    pause() {
      if (state !== "serving") return Promise.reject(new Error("The embedded database is not serving"));
      paused = Promise.withResolvers();
      send(worker, { kind: "pause" });
      return paused.promise;
    },
    resume: () => send(worker, { kind: "resume" }),
    async close() {
      if (state === "gone") return;
      state = "closing";
      send(worker, { kind: "close" });
      // Committed rows are in the write-ahead log, so a hanging worker can be ended without a loss.
      const timer = setTimeout(() => end("it did not close"), CLOSE_MS);
      await closed.promise;
      clearTimeout(timer);
    },
  };
}

function send(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}
