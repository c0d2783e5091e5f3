import { Hono } from "hono";
import { type Services, systemContext } from "../../core/context.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { COUNTED } from "../../inbound/schema.ts";
import { readBody } from "../body.ts";
import { deadline } from "../deadline.ts";
import { clientAddress, type HttpEnv, named } from "../request.ts";
import type { Webhook } from "./webhook.ts";
import { cloudAgentWebhook } from "./cloud_agent.ts";
import { deployWebhook } from "./deploy.ts";
import { githubWebhook } from "./github.ts";
import { paymentWebhook } from "./payment.ts";

/** Every sender whose webhooks the service accepts. */
export const WEBHOOKS: readonly Webhook[] = [cloudAgentWebhook, deployWebhook, githubWebhook, paymentWebhook];

export function webhookRoutes(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const inTime = deadline(services);
  for (const webhook of WEBHOOKS) {
    // Prometheus sees no increase in the first value of a counter that it reads. The counters start
    // at 0, so that the first delivery is counted, too.
    for (const outcome of COUNTED) {
      services.metrics.deliveries.inc({ provider: webhook.provider, outcome }, 0);
    }
    const name = `webhook ${webhook.path.slice("/webhooks/".length)}`;
    app.post(
      webhook.path,
      named(name),
      inTime,
      async (c) => {
        const answer = new Headers();
        const address = clientAddress(c, services.config.TRUST_PROXY);
        const body = await receive(services, webhook, {
          request: c.req.raw,
          requestId: c.var.requestId,
          answer,
        }).catch(async (error: unknown) => {
          await countRefusal(services, webhook, { error, address, answer });
          throw error;
        }).finally(() => {
          for (const [name, value] of answer) c.header(name, value);
        });
        return c.json(body);
      },
    );
  }
  return app;
}

async function receive(
  services: Services,
  { provider, secret, maxBytes, receive }: Webhook,
  { request, requestId, answer }: { request: Request; requestId: string; answer: Headers },
): Promise<object> {
  const body = await readBody(request, maxBytes);
  const secrets = services.config[secret];
  if (!secrets) {
    throw new AppError("webhook_secret_not_configured", `This webhook is switched off: ${secret} is not set`);
  }
  const ctx = systemContext(services, { kind: "webhook", id: provider }, requestId);
  return await receive({ ctx, provider, headers: request.headers, body, secrets, answer });
}

const REFUSED_LIMIT = { name: "refused-webhook", points: 60, seconds: 60 };
/** The error codes for a sender that doesn't know the secret. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "invalid_signature",
  "invalid_signature_payload",
  "unauthenticated",
]);

/**
 * Counts a refused call against its address, so that nobody can guess a secret. A genuine call is
 * always accepted, because somebody else's guesses may come through the same proxy.
 * @throws {AppError} rate_limited
 */
async function countRefusal(
  { limits, metrics }: Services,
  { provider }: Webhook,
  { error, address, answer }: { error: unknown; address: string; answer: Headers },
): Promise<void> {
  if (!(error instanceof AppError) || !REFUSALS.has(error.code)) return;
  metrics.deliveries.inc({ provider, outcome: "refused" });
  await limits.takeRoughly(REFUSED_LIMIT, address, answer);
}
