import { z } from "zod";
import { parseAs } from "../core/json.ts";

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
 * valid after this process ends. It gives no right, because each poll is checked with the key of
 * the client that polls.
 */
export function handleOf(tool: string, args: Record<string, unknown>): { taskId: string; createdAt: string } {
  const createdAt = new Date().toISOString();
  const taskId = new TextEncoder().encode(JSON.stringify({ tool, args, createdAt })).toBase64({
    alphabet: "base64url",
  });
  return { taskId, createdAt };
}

/** @throws {Error} for a text that is no handle */
export function readHandle(taskId: string): Handle {
  return parseAs(
    Handle,
    JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(taskId, { alphabet: "base64url" }))),
  );
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
