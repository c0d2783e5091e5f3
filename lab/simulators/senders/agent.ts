import { createHmac } from "node:crypto";
import { encode, type Sent } from "./sent.ts";

export interface AgentEvent {
  /** `bc_…` */
  id: string;
  status: string;
  timestamp?: string;
  repository?: string;
  prUrl?: string;
  branchName?: string;
  summary?: string;
}

/** Makes a statusChange as Cursor's background agents send it. */
export function agentDelivery(
  secret: string,
  event: AgentEvent,
  deliveryId: string = crypto.randomUUID(),
): Sent {
  const {
    id,
    status,
    timestamp,
    repository = "https://github.com/acme/handoff",
    prUrl,
    branchName,
    summary,
  } = event;
  const body = encode({
    event: "statusChange",
    timestamp,
    id,
    status,
    source: { repository, ref: "main" },
    target: {
      url: `https://cursor.com/agents?id=${id}`,
      branchName: branchName ?? `cursor/work-${id.slice(-4)}`,
      ...(prUrl && { prUrl }),
    },
    ...(summary && { summary }),
  });
  return signedAgentBody(secret, body, deliveryId);
}

export function signedAgentBody(
  secret: string,
  body: Uint8Array<ArrayBuffer>,
  deliveryId: string = crypto.randomUUID(),
): Sent {
  return {
    path: "/webhooks/cloud-agent",
    headers: {
      "content-type": "application/json",
      "user-agent": "Cursor-Agent-Webhook/1.0",
      "x-webhook-event": "statusChange",
      "x-webhook-id": deliveryId,
      "x-webhook-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    body,
  };
}
