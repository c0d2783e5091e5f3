import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { parseAs } from "../core/json.ts";
import type { Secrets } from "../core/secrets.ts";

/** Name of the protocol's extension by which a client polls a handle instead of holding a call. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** The milliseconds between two polls of a client. */
const POLL_INTERVAL_MS = 5_000;

const Handle = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  createdAt: z.iso.datetime(),
});
export type Handle = z.infer<typeof Handle>;

/**
 * A handle contains everything that a later poll needs. Nothing is stored for a handle, so it stays
 * valid after this process ends. It is signed, so that a client can't make one up. It gives no right,
 * because each poll is checked with the key of the client that polls.
 */
export function handleOf(
  secrets: Secrets,
  tool: string,
  args: Record<string, unknown>,
): { taskId: string; createdAt: string } {
  const createdAt = new Date().toISOString();
  const body = Buffer.from(JSON.stringify({ tool, args, createdAt })).toString("base64url");
  return { taskId: `${body}.${sign(secrets.auth[0].bytes, body)}`, createdAt };
}

/** @throws {Error} for a text that is no handle of this service */
export function readHandle(secrets: Secrets, taskId: string): Handle {
  const [body = "", signature = ""] = taskId.split(".");
  const given = Buffer.from(signature);
  const isRight = secrets.auth.some(({ bytes }) => {
    const right = Buffer.from(sign(bytes, body));
    return given.length === right.length && timingSafeEqual(given, right);
  });
  if (!isRight) throw new Error("The handle was not signed here");
  return parseAs(Handle, JSON.parse(Buffer.from(body, "base64url").toString()));
}

function sign(key: Uint8Array, body: string): string {
  return createHmac("sha256", key).update(`mcp task ${body}`).digest("base64url");
}

/** The state of a task, in the fields of the extension. */
export function taskState(taskId: string, createdAt: string, result?: Record<string, unknown>) {
  return {
    taskId,
    createdAt,
    lastUpdatedAt: new Date().toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
    ...(result ? { status: "completed", result } : { status: "working" }),
  };
}
