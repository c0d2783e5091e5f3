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
  /**
   * Asks whether it can send.
   * @throws {Error} if it doesn't answer at once
   */
  ask(): Promise<void>;
}

/** Takes the place of a sender where none was started. */
export const noSender: Sender = {
  post: () => Promise.resolve({ failure: "unsent", message: "There is no sender process" }),
  ask: () => Promise.reject(new Error("there is no sender process")),
};

/** Sends through another process, because this process may connect only to configured hosts. */
export function remoteSender(socketPath: string): Sender {
  return {
    async post(outgoing) {
      try {
        return JSON.parse(await ask(socketPath, SENDER_MS, JSON.stringify(outgoing)));
      } catch (error) {
        return { failure: "unsent", message: `The sender process doesn't answer: ${error}` };
      }
    },
    async ask() {
      await ask(socketPath, AT_ONCE_MS);
    },
  };
}

/** Sends from this process, which must have the net permission. It is meant for tests and tools. */
export function localSender(allowedHosts: readonly string[]): Sender {
  return { post: (outgoing) => post(outgoing, allowedHosts), ask: () => Promise.resolve() };
}

/** This is longer than the sending process takes for the slowest receiver. */
const SENDER_MS = 30_000;
/** Longer than a busy sender takes to say that it is there. */
const AT_ONCE_MS = 2_000;

async function ask(socketPath: string, withinMs: number, body?: string): Promise<string> {
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
  const timer = setTimeout(() => call.destroy(new Error("no answer in time")), withinMs);
  call.on("error", reject);
  call.end(body);
  return await promise.finally(() => clearTimeout(timer));
}
