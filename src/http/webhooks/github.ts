import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { toStorableText } from "../../core/schema.ts";
import { receiveDelivery } from "../../inbound/receive.ts";
import { applyGitHubDelivery, parseGitHubEvent } from "../../integrations/apply_delivery.ts";
import { isSigned } from "./_signature.ts";
import { answersOf, deliveryName, MAX_BODY_BYTES, Taken, tellOutcome, type Webhook } from "./webhook.ts";

/**
 * The hooks that `/integrations/webhooks` sets up send here. Only the body is signed, so the
 * headers only name the delivery.
 */
export const githubWebhook: Webhook = {
  path: "/webhooks/github",
  provider: "github",
  secret: "GITHUB_WEBHOOK_SECRET",
  maxBytes: MAX_BODY_BYTES,
  operation: {
    operationId: "webhooks.github",
    summary: "Code-hosting webhook",
    description:
      "Takes pull_request and issues; other events are acknowledged. A merged pull request stamps its tickets, and the " +
      "links of tickets to issues follow them. A repeat changes nothing.",
    requestParams: {
      header: z.object({
        "X-Hub-Signature-256": z.string().describe("`sha256=` and the hex HMAC-SHA256 of the raw body"),
        "X-GitHub-Event": z.string(),
        "X-GitHub-Delivery": z.string(),
      }),
    },
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: z.looseObject({ action: z.string().optional() }),
          example: {
            action: "closed",
            repository: { full_name: "acme/handoff" },
            pull_request: {
              number: 12,
              title: "HO-1 Stream the upload in parts",
              merged: true,
              merge_commit_sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
            },
          },
        },
      },
    },
    responses: answersOf(Taken, "invalid_signature"),
  },
  async receive({ ctx, provider, headers, body, secrets, answer }) {
    if (!isSigned(body, headers.get("x-hub-signature-256"), secrets)) {
      throw new AppError("invalid_signature");
    }
    const { action, subject } = parseGitHubEvent(body);
    const name = headers.get("x-github-event") ?? "unknown";
    const delivery = {
      provider,
      deliveryId: deliveryName(headers.get("x-github-delivery")),
      event: toStorableText((action === null ? name : `${name}.${action}`).slice(0, 100)),
      subject,
      body,
    };
    tellOutcome(answer, await receiveDelivery(ctx, delivery, applyGitHubDelivery));
    return { ok: true };
  },
};
