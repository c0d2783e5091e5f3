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

/**
 * The endpoint for one sender's webhooks. It checks that a delivery is genuine, and answers with a
 * body.
 */
export interface Webhook {
  /** The path below /api. */
  path: `/webhooks/${string}`;
  provider: Provider;
  /** The setting that enables the endpoint. */
  secret: "CLOUD_AGENT_WEBHOOK_SECRET" | "CRON_SECRET" | "GITHUB_WEBHOOK_SECRET" | "STRIPE_WEBHOOK_SECRET";
  maxBytes: number;
  operation: ZodOpenApiOperationObject & Required<Pick<ZodOpenApiOperationObject, "requestBody">>;
  receive(call: WebhookCall): Promise<object>;
}

export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Describes the outcome of a delivery, for people who read the sender's log or simulate the sender.
 */
export function tellOutcome(answer: Headers, { repeat, outcome, reason }: Receipt): void {
  answer.set("Delivery-Outcome", repeat ? "repeated" : reason ? `${outcome}; reason=${reason}` : outcome);
}

const OUTCOME = {
  "Delivery-Outcome": z.string().optional().describe(
    "`applied`, `repeated`, or `ignored` with the reason, such as `ignored; reason=unknown_agent`",
  ).meta({ header: { id: "Delivery-Outcome" } }),
};

/** The answer to a sender. */
export const Taken = z.object({ ok: z.boolean() });

/** The answers to a sender: success in the sender's own form, or the reason of a refusal. */
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
 * Returns the sender's name for its delivery. An empty or very long name counts as none, because
 * the hash of the body also identifies a repeat.
 */
export function deliveryName(header: string | null): string | null {
  return header && header.length <= 200 ? header : null;
}
