import type { ZodOpenApiOperationObject } from "zod-openapi";
import { EVENT_TYPES } from "../core/event_types.ts";
import type { Event } from "../core/events.ts";

const ID = "0190d3c1-6c7a-7bd1-a0f5-6d1f3c2b9e10";

/**
 * The event schema of the event list, which webhooks refer to. Otherwise the library would treat
 * the body of a webhook as an input and describe a second schema of events, which a generator
 * (oapi-codegen) loses.
 */
const EVENT = { $ref: "#/components/schemas/Event" };

/** The requests that outgoing webhooks make, one for each type of event. */
export function eventWebhooks(): Record<string, { post: ZodOpenApiOperationObject }> {
  return Object.fromEntries(
    [...EVENT_TYPES].map(([type, summary]) => [type, { post: requestOf(type, summary) }]),
  );
}

function requestOf(type: string, summary: string): ZodOpenApiOperationObject {
  return {
    operationId: `on${type.split(/[._]/).map((word) => word[0]!.toUpperCase() + word.slice(1)).join("")}`,
    tags: ["Events"],
    summary,
    description:
      "Signed by Standard Webhooks 1.0: the fields webhook-id, webhook-timestamp and webhook-signature.",
    security: [],
    requestBody: {
      required: true,
      content: { "application/json": { schema: EVENT, example: exampleOf(type) } },
    },
    responses: {
      "2XX": { description: "Delivered" },
      "410": { description: "Switches the webhook off" },
      "default": { description: "Tried again later" },
    },
  };
}

/** The things of a project that belong to no ticket. */
const OF_PROJECT: ReadonlySet<string> = new Set(["column", "label", "milestone", "webhook", "deploy"]);

function exampleOf(type: string): Event {
  const [entity = "", action] = type.split(".");
  const isOfTicket = !OF_PROJECT.has(entity);
  const ticket = { id: ID, ticket_ref: "HO-12", title: "Upload fails for files over 2 GB", version: 7 };
  return {
    seq: 4711,
    type,
    at: "2026-11-25T08:30:00.000Z",
    project_id: ID,
    ticket: isOfTicket ? { ...ticket, stage: "validation", status: "open" } : null,
    entity,
    entity_id: entity === "deploy" ? `acme/handoff@${"0a1b2c3d".repeat(5)}` : entity === "role" ? "qa" : ID,
    changed: action === "changed" && isOfTicket ? ["priority"] : [],
    actor: { kind: "user", id: ID, name: "Ada" },
    request_id: ID,
  };
}
