import { Hono } from "hono";
import type { Services } from "../core/context.ts";
import type { HttpEnv } from "./request.ts";

export function metricsRoutes({ metrics }: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.get("/metrics", async (c) => {
    const text = await metrics.registry.metrics();
    return c.body(text, 200, { "Content-Type": metrics.registry.contentType });
  });
  return app;
}
