import { request } from "node:http";
import { type Outgoing, post, type Sent } from "./post.ts";

/**
 * Sends to addresses that users have given: webhooks and chat hooks. Private addresses are refused
 * each time, at the connection itself. It neither throws nor tries again. The result tells the
 * outcome.
 * ```ts
 * const sent = await ctx.sender.post({ url, headers: { "content-type": "application/json" }, body });
 * if ("failure" in sent || sent.status >= 300) …
 * ```
 * Call it only from a job, because a receiver may take 15 s.
 */
export interface Sender {
  post(outgoing: Outgoing): Promise<Sent>;
}

/** The socket of the process's own sender. ops/start.sh starts it, under this process's id. */
export function senderSocket(dataDir: string, pid: number): string {
  return `${dataDir}/sender-${pid}.sock`;
}

/** Sends through another process, because this process may connect only to configured hosts. */
export function remoteSender(socketPath: string): Sender {
  return {
    async post(outgoing) {
      try {
        return JSON.parse(await ask(socketPath, JSON.stringify(outgoing)));
      } catch (error) {
        return { failure: "unsent", message: `The sender process doesn't answer: ${error}` };
      }
    },
  };
}

/**
 * Asks whether the sender behind a socket answers.
 * @throws {Error} if it doesn't
 */
export async function askSender(socketPath: string): Promise<void> {
  await ask(socketPath);
}

/** Sends from this process, which must have the net permission. It is meant for tests and tools. */
export function localSender(allowedHosts: readonly string[]): Sender {
  return { post: (outgoing) => post(outgoing, allowedHosts) };
}

/** This is longer than the sending process takes for the slowest receiver. */
const SENDER_MS = 30_000;

async function ask(socketPath: string, body?: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = request(
    { socketPath, method: body === undefined ? "GET" : "POST", path: "/", agent: false },
    async (response) => {
      try {
        const parts: Uint8Array[] = [];
        for await (const part of response) parts.push(part);
        resolve(Buffer.concat(parts).toString());
      } catch (error) {
        reject(error);
      }
    },
  );
  const timer = setTimeout(() => call.destroy(new Error("no answer in time")), SENDER_MS);
  call.on("error", reject);
  call.end(body);
  return await promise.finally(() => clearTimeout(timer));
}
