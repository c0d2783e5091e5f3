import { signedAgentBody } from "../../lab/simulators/senders/agent.ts";
import { deployDelivery } from "../../lab/simulators/senders/deploy.ts";
import { signedPaymentBody } from "../../lab/simulators/senders/payment.ts";
import type { Sent } from "../../lab/simulators/senders/sent.ts";

export const AGENT = "agent-secret-of-the-tests";
export const NEXT_AGENT = "next-agent-secret-of-the-tests";
export const PAYMENT = "whsec_payment_of_the_tests";
export const NEXT_PAYMENT = "whsec_next_payment_of_the_tests";
export const CRON = "cron-secret-of-the-tests";
export const NEXT_CRON = "nächstes-cron-secret-of-the-tests";

export const status = {
  event: "statusChange",
  timestamp: "2026-11-20T10:00:00Z",
  id: "bc_nobody",
  status: "FINISHED",
};
export const paid = { id: "evt_1", type: "invoice.paid", created: 1, data: { object: {} } };
export const deploy = {
  repo: "acme/handoff",
  sha: "0123456789".repeat(4),
  environment: "production",
  status: "success",
};
export const encode = (value: unknown) =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

export const agent = (body: unknown, secret = AGENT) => signedAgentBody(secret, encode(body));
export const payment = (body: unknown, secret = PAYMENT, at?: number) =>
  signedPaymentBody(secret, typeof body === "string" ? body : JSON.stringify(body), at);
export const cron = (body: unknown, secret = CRON): Sent => ({
  ...deployDelivery(secret, deploy),
  body: encode(body),
});

/** Returns the value as JSON of exactly this size. */
export const padded = (value: Record<string, unknown>, size: number) => {
  const empty = JSON.stringify({ ...value, padding: "" }).length;
  return JSON.stringify({ ...value, padding: "x".repeat(size - empty) });
};
/** Returns the same bytes in pieces, without a Content-Length. */
export const chunked = (sent: Sent) => ({
  ...sent,
  body: new ReadableStream({
    start(controller) {
      for (let at = 0; at < sent.body.length; at += 10_000) {
        controller.enqueue(sent.body.slice(at, at + 10_000));
      }
      controller.close();
    },
  }),
});
