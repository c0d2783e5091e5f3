import { z } from "zod";
import { parseAs } from "../core/json.ts";

/** Name of the protocol's extension by which a client polls a handle instead of holding a call. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Milliseconds between two looks of a client that polls. */
const POLL_INTERVAL_MS = 5_000;

const Handle = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  createdAt: z.iso.datetime(),
});
export type Handle = z.infer<typeof Handle>;

/**
 * A handle says all that a later look needs, and nothing is stored for it, so that it outlives this
 * process. It gives no right: each look passes the gate with the key of the client that looks.
 */
export function handleOf(tool: string, args: Record<string, unknown>): { taskId: string; createdAt: string } {
  const createdAt = new Date().toISOString();
  const taskId = new TextEncoder().encode(JSON.stringify({ tool, args, createdAt })).toBase64({
    alphabet: "base64url",
  });
  return { taskId, createdAt };
}

/** @throws {Error} for what is no handle */
export function readHandle(taskId: string): Handle {
  return parseAs(
    Handle,
    JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(taskId, { alphabet: "base64url" }))),
  );
}

/** How a task stands, in the fields of the extension. */
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
