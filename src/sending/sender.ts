import { request } from "node:http";
import { type Outgoing, post, type Sent } from "./post.ts";

/**
 * Sends to addresses that users have given: webhooks, chat hooks. Private addresses are refused, each time, at the
 * connection itself. It neither throws nor tries again: what became of the request is in the answer.
 * ```ts
 * const sent = await ctx.sender.post({ url, headers: { "content-type": "application/json" }, body });
 * if ("failure" in sent || sent.status >= 300) …
 * ```
 * Call it from a job only: a receiver may take 15 s.
 */
export interface Sender {
  post(outgoing: Outgoing): Promise<Sent>;
}

/** Where the process's own sender listens: ops/start.sh starts it, under this process's id. */
export function senderSocket(dataDir: string, pid: number): string {
  return `${dataDir}/sender-${pid}.sock`;
}

/** Has another process send, because this one may reach nothing but what is configured. */
export function remoteSender(socketPath: string): Sender {
  return {
    async post(outgoing) {
      try {
        return JSON.parse(await ask(socketPath, JSON.stringify(outgoing)));
      } catch (error) {
        return { failure: "unreachable", message: `The sender is not there: ${error}` };
      }
    },
  };
}

/** Sends from this process, which must have the permission: for tests and tools. */
export function localSender(allowedHosts: readonly string[]): Sender {
  return { post: (outgoing) => post(outgoing, allowedHosts) };
}

async function ask(socketPath: string, body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = request({ socketPath, method: "POST", path: "/", agent: false }, async (response) => {
    try {
      const parts: Uint8Array[] = [];
      for await (const part of response) parts.push(part);
      resolve(Buffer.concat(parts).toString());
    } catch (error) {
      reject(error);
    }
  });
  call.on("error", reject);
  call.end(body);
  return await promise;
}
