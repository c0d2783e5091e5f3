import { z } from "zod";
import { applyAgentDelivery, parseAgentEvent } from "../../agents/apply_delivery.ts";
import { StatusChange } from "../../agents/schema.ts";
import { AppError } from "../../core/errors.ts";
import { receiveDelivery } from "../../inbound/receive.ts";
import { isSigned } from "./_signature.ts";
import { answersOf, deliveryName, MAX_BODY_BYTES, Taken, tellOutcome, type Webhook } from "./webhook.ts";

/**
 * Cursor's background agents, v0. Only the body is signed, so the headers are used only for the
 * delivery's name.
 */
export const cloudAgentWebhook: Webhook = {
  path: "/webhooks/cloud-agent",
  provider: "cloud_agent",
  secret: "CLOUD_AGENT_WEBHOOK_SECRET",
  maxBytes: MAX_BODY_BYTES,
  operation: {
    operationId: "webhooks.cloudAgent",
    summary: "Cloud coding agent webhook",
    description:
      "Takes `statusChange` with FINISHED and ERROR; other events are acknowledged. A repeat changes nothing.",
    requestParams: {
      header: z.object({
        "X-Webhook-Signature": z.string().describe("`sha256=` and the hex HMAC-SHA256 of the raw body"),
        "X-Webhook-ID": z.string().optional(),
        "X-Webhook-Event": z.string().optional(),
      }),
    },
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: StatusChange,
          example: {
            event: "statusChange",
            timestamp: "2026-11-20T10:00:00.000Z",
            id: "bc_3f1c8f6e",
            status: "FINISHED",
            source: { repository: "https://github.com/acme/handoff", ref: "main" },
            target: { branchName: "agent/upload", prUrl: "https://github.com/acme/handoff/pull/12" },
            summary: "Streams the upload in parts",
          },
        },
      },
    },
    responses: answersOf(Taken, "invalid_signature"),
  },
  async receive({ ctx, provider, headers, body, secrets, answer }) {
    if (!isSigned(body, headers.get("x-webhook-signature"), secrets)) {
      throw new AppError("invalid_signature");
    }
    const { event, id } = parseAgentEvent(body);
    const delivery = {
      provider,
      deliveryId: deliveryName(headers.get("x-webhook-id")),
      event,
      subject: id ?? null,
      body,
    };
    tellOutcome(answer, await receiveDelivery(ctx, delivery, applyAgentDelivery));
    return { ok: true };
  },
};
