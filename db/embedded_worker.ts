/// <reference lib="deno.worker" />
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import type { FromWorker, ToWorker } from "./embedded.ts";

declare const self: DedicatedWorkerGlobalScope;

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    const server = await serve(data.folder, data.socketPath);
    self.onmessage = () => stop(server);
    report({ kind: "ready" });
  } catch (error) {
    report({ kind: "broken", message: String(error) });
  }
};

async function serve(folder: string, socketPath: string): Promise<PGLiteSocketServer> {
  const database = await PGlite.create({ dataDir: folder, extensions: { vector } });
  reportCrash(database);
  // One client uses one connection; the spare ones let it reconnect before its old socket is seen closed.
  const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 4 });
  await server.start();
  return server;
}

async function stop(server: PGLiteSocketServer): Promise<void> {
  try {
    await server.stop();
    await server.db.close();
    report({ kind: "closed" });
  } catch (error) {
    report({ kind: "broken", message: String(error) });
  }
}

/** A SQL error travels inside the protocol. What throws here is the engine itself, after which the socket
 * server would keep every later query waiting for ever, so the parent must start a new worker. */
function reportCrash(database: PGlite): void {
  const execute = database.execProtocolRawStream.bind(database);
  database.execProtocolRawStream = async (message, options) => {
    try {
      await execute(message, options);
    } catch (error) {
      report({ kind: "broken", message: String(error) });
      throw error;
    }
  };
}

function report(message: FromWorker): void {
  self.postMessage(message);
}
