/// <reference lib="deno.worker" />
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import type { FromWorker, ToWorker } from "./engine.ts";

declare const self: DedicatedWorkerGlobalScope;

let server: PGLiteSocketServer | undefined;

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data.kind === "open") server = await serve(data.folder, data.socketPath);
    if (data.kind === "close") await stop();
    report({ kind: ({ open: "ready", ping: "alive", close: "closed" } as const)[data.kind] });
  } catch (error) {
    report({ kind: "broken", message: String(error) });
  }
};

async function serve(folder: string, socketPath: string): Promise<PGLiteSocketServer> {
  const database = await PGlite.create({ dataDir: folder, extensions: { vector } });
  reportDeath(database);
  // One client uses one connection; the spare ones let it reconnect before its old socket is seen closed.
  const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 4 });
  await server.start();
  return server;
}

async function stop(): Promise<void> {
  await server?.stop();
  await server?.db.close();
}

/**
 * An ordinary SQL error leaves the engine sound. After a FATAL or PANIC one PGlite repeats it in an endless loop,
 * and after an exception the socket server answers nobody, so the parent is told that this worker is of no more use.
 */
function reportDeath(database: PGlite): void {
  const execute = database.execProtocolRawStream.bind(database);
  let reported = false;
  function dead(message: string): void {
    if (!reported) report({ kind: "broken", message });
    reported = true;
  }
  database.execProtocolRawStream = async (message, { onRawData, ...options }) => {
    try {
      await execute(message, {
        ...options,
        onRawData(data) {
          onRawData(data);
          const severity = readSeverity(data);
          if (severity === "FATAL" || severity === "PANIC") dead(new TextDecoder().decode(data.subarray(5)));
        },
      });
    } catch (error) {
      dead(String(error));
      throw error;
    }
  };
}

/** Of the protocol's ErrorResponse: `E`, four bytes of length, then fields, `S` (severity) first. */
function readSeverity(data: Uint8Array): string | undefined {
  if (data[0] !== 0x45 || data[5] !== 0x53) return undefined;
  return new TextDecoder().decode(data.subarray(6, 11));
}

function report(message: FromWorker): void {
  self.postMessage(message);
}
