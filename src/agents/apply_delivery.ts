import type { Context } from "../core/context.ts";
import { parseAs, parseJson } from "../core/json.ts";
import type { Kept, Outcome } from "../inbound/schema.ts";
import { applyAgentEvent } from "./apply_event.ts";
import { AgentEvent, StatusChange } from "./schema.ts";

/** Parses a verified body into a status change, or into the name of an unknown event. */
export function parseAgentEvent(body: Uint8Array): StatusChange | { event: string; id?: undefined } {
  const json = parseJson(body);
  const { event } = parseAs(AgentEvent, json);
  return event === "statusChange" ? parseAs(StatusChange, json) : { event };
}

/** Applies a stored body. */
export async function applyAgentDelivery(ctx: Context, { body, received_at }: Kept): Promise<Outcome> {
  const event = parseAgentEvent(body);
  return event.id === undefined
    ? { outcome: "ignored", reason: "unknown_event" }
    : await applyAgentEvent(ctx, { ...event, timestamp: event.timestamp ?? received_at });
}
