/// <reference lib="deno.worker" />
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import type { FromWorker, ToWorker } from "./pglite_engine.ts";

declare const self: DedicatedWorkerGlobalScope;

let server: PGLiteSocketServer | undefined;
let dead = false;
let paused: PromiseWithResolvers<void> | undefined;

const ANSWERS = {
  open: "ready",
  ping: "alive",
  pause: "paused",
  resume: "resumed",
  close: "closed",
} as const;

/** The error numbers of WASI whose causes an operator can remove. */
const ERRORS: Record<number, string> = {
  2: "permission denied",
  19: "disk quota exceeded",
  29: "input or output failed",
  33: "too many open files",
  51: "no space left on device",
  69: "read-only file system",
};

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data.kind === "open") server = await serve(data.folder, data.socketPath);
    if (data.kind === "pause") await pause();
    if (data.kind === "resume") paused?.resolve();
    if (data.kind === "close") await stop();
    report({ kind: ANSWERS[data.kind] });
  } catch (error) {
    report({ kind: "broken", message: wordsOf(error) });
  }
};

async function serve(folder: string, socketPath: string): Promise<PGLiteSocketServer> {
  const database = await PGlite.create({
    dataDir: folder,
    extensions: { vector },
    // The default of 160 MB for buffers would take that memory at the start. With this setting,
    // lists and searches over 30,000 tickets are as fast. Statistics are taken from 9,000 rows and
    // not from 30,000, because those rows are all in memory at once. The pending list of the text
    // index is merged in steps of 6 ms. With 4 MB there was one step of 100 ms, during which
    // everybody waited.
    startParams: [
      ...PGlite.defaultStartParams,
      "-c",
      "shared_buffers=16MB",
      "-c",
      "default_statistics_target=30",
      "-c",
      "gin_pending_list_limit=256kB",
    ],
    onStderr: reportPanic,
  });
  reportDeath(database);
  // The one client uses one connection. With the spare ones, it can reconnect before the server
  // notices that its old socket is closed.
  const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 4 });
  await server.start();
  return server;
}

/** Takes and holds the lock for which every message of the socket waits. */
function pause(): Promise<void> {
  const held = Promise.withResolvers<void>();
  const resumed = paused = Promise.withResolvers<void>();
  server?.db.runExclusive(() => {
    held.resolve();
    return resumed.promise;
  });
  return held.promise;
}

async function stop(): Promise<void> {
  paused?.resolve();
  await server?.stop();
  await server?.db.close();
}

function reportEnd(message: string): void {
  if (!dead) report({ kind: "broken", message });
  dead = true;
}

/**
 * Reports a PANIC, such as no space left for the write-ahead log. A PANIC is reported to no client,
 * and the engine is in an endless loop after it.
 */
function reportPanic(line: string): boolean {
  const [words] = /(?:PANIC|FATAL): .*/.exec(line) ?? [];
  if (words) reportEnd(words);
  return false;
}

/**
 * Reports the engine's end to the parent. An ordinary SQL error leaves the engine sound. After an
 * error that is FATAL or PANIC, PGlite repeats that error in an endless loop, and after an
 * exception the socket server answers nobody, so this worker is of no more use.
 */
function reportDeath(database: PGlite): void {
  const execute = database.execProtocolRawStream.bind(database);
  database.execProtocolRawStream = async (message, { onRawData, ...options }) => {
    try {
      await execute(message, {
        ...options,
        onRawData(data) {
          onRawData(data);
          const severity = readSeverity(data);
          if (severity === "FATAL" || severity === "PANIC") {
            reportEnd(new TextDecoder().decode(data.subarray(5)));
          }
        },
      });
    } catch (error) {
      reportEnd(wordsOf(error));
      throw error;
    }
  };
}

/**
 * Reads the severity of the protocol's ErrorResponse: `E`, four bytes of length, then fields, `S`
 * (severity) first.
 */
function readSeverity(data: Uint8Array): string | undefined {
  if (data[0] !== 0x45 || data[5] !== 0x53) return undefined;
  return new TextDecoder().decode(data.subarray(6, 11));
}

/**
 * Describes an error. Emscripten's file system throws objects that are no Error and have only
 * WASI's number.
 */
function wordsOf(error: unknown): string {
  if (error instanceof Error) return String(error);
  const { errno } = error as { errno?: number };
  return errno === undefined ? String(error) : ERRORS[errno] ?? `error ${errno} of the file system`;
}

function report(message: FromWorker): void {
  self.postMessage(message);
}
