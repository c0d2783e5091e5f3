import { z } from "zod";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import type { Context } from "../../core/context.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Receipt } from "../../inbound/receive.ts";
import type { Provider } from "../../inbound/schema.ts";
import { errorResponses, fieldsOf, LIMIT_FIELDS } from "../responses.ts";

interface WebhookCall {
  ctx: Context;
  provider: Provider;
  headers: Headers;
  /** The body exactly as it was sent. */
  body: Uint8Array<ArrayBuffer>;
  secrets: string[];
  /** Header fields for the answer. */
  answer: Headers;
}

/** A sender's door: it checks that what came is genuine, and answers with a body. */
export interface Webhook {
  /** The path below /api. */
  path: `/webhooks/${string}`;
  provider: Provider;
  /** The setting that switches it on. */
  secret: "CLOUD_AGENT_WEBHOOK_SECRET" | "CRON_SECRET" | "GITHUB_WEBHOOK_SECRET" | "STRIPE_WEBHOOK_SECRET";
  maxBytes: number;
  operation: ZodOpenApiOperationObject & Required<Pick<ZodOpenApiOperationObject, "requestBody">>;
  receive(call: WebhookCall): Promise<object>;
}

export const MAX_BODY_BYTES = 1024 * 1024;

/** Tells the outcome of a delivery to people who look at a sender's log, or who play the sender. */
export function tellOutcome(answer: Headers, { repeat, outcome, reason }: Receipt): void {
  answer.set("Delivery-Outcome", repeat ? "repeated" : reason ? `${outcome}; reason=${reason}` : outcome);
}

const OUTCOME = {
  "Delivery-Outcome": z.string().optional().describe(
    "`applied`, `repeated`, or `ignored` with the reason, such as `ignored; reason=unknown_agent`",
  ).meta({ header: { id: "Delivery-Outcome" } }),
};

/** The answer of a sender's door. */
export const Taken = z.object({ ok: z.boolean() });

/** The answers of a sender's door: its own form of yes, or the reason why not. */
export function answersOf(schema: z.ZodType, ...errors: ErrorCode[]): ZodOpenApiOperationObject["responses"] {
  return {
    "200": { description: "Taken", content: { "application/json": { schema } }, headers: fieldsOf(OUTCOME) },
    ...errorResponses([
      "rate_limited",
      "invalid_json",
      "invalid_request",
      ...errors,
      "request_timeout",
      "payload_too_large",
      "unsupported_media_type",
      "internal",
      "webhook_secret_not_configured",
      "unavailable",
    ], LIMIT_FIELDS),
  };
}

/**
 * Answers a sender's name for its delivery. An empty or endless name counts as none, because the
 * body's hash recognises a repeat as well.
 */
export function deliveryName(header: string | null): string | null {
  return header && header.length <= 200 ? header : null;
}
