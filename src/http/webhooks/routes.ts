import { Hono } from "hono";
import type { Services } from "../../core/context.ts";
import type { DocumentedRoute } from "../openapi.ts";
import type { HttpEnv } from "../request.ts";
import type { Webhook } from "./_webhook.ts";
import { cloudAgentWebhook } from "./cloud_agent.ts";
import { deployWebhook } from "./deploy.ts";
import { githubWebhook } from "./github.ts";
import { paymentWebhook } from "./payment.ts";

/** Every sender that the service listens to. */
const WEBHOOKS: readonly Webhook[] = [cloudAgentWebhook, deployWebhook, githubWebhook, paymentWebhook];

/** For the OpenAPI document. */
export const webhookDocuments: readonly DocumentedRoute[] = WEBHOOKS.map(({ path, operation }) => ({
  method: "post",
  path,
  operation,
}));

export function webhookRoutes(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  for (const { path, receive } of WEBHOOKS) {
    app.post(path, async (c) => {
      c.set("procedure", `webhook ${path.slice("/webhooks/".length)}`);
      return c.json(await receive({ services, request: c.req.raw, requestId: c.var.requestId }));
    });
  }
  return app;
}
