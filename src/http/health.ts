import { setTimeout as pause } from "node:timers/promises";
import { Hono } from "hono";
import { ForeignSchema } from "../../db/errors.ts";
import { pendingMigrations } from "../../db/migrate.ts";
import type { Services } from "../core/context.ts";
import { describeError, log } from "../core/log.ts";
import type { HttpEnv } from "./request.ts";

/**
 * Tells whether there is a first admin and whether the jobs of this process run. main passes this
 * function in, because jobs are above this layer.
 */
export type Started = () => boolean;

const CHECK_TIMEOUT_MS = 2_000;

/**
 * `/healthz` tells that the process answers. `/readyz` tells that the parts that the process needs
 * answer, too.
 */
export function healthRoutes(services: Services, started: Started): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.get("/healthz", (c) => c.json({ status: "ok" }));
  app.get("/readyz", async (c) => {
    const database = await databaseState(services);
    const model = services.embedder.state();
    // With a broken model only the hint of similar tickets is missing, so the service is still
    // ready.
    const ready = database === "ready" && started() && model.state !== "starting";
    const jobs = services.config.JOBS === "off" ? "off" : started() ? "ready" : "starting";
    return c.json(
      { status: ready ? "ready" : "not_ready", database, model: model.state, jobs },
      ready ? 200 : 503,
    );
  });
  return app;
}

async function databaseState(
  { sql, databaseHealth }: Services,
): Promise<"ready" | "migrations_pending" | "foreign_schema" | "unavailable"> {
  if (databaseHealth.lost) return "unavailable";
  const late = pause(CHECK_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error("the database did not answer in time");
  });
  try {
    return (await Promise.race([pendingMigrations(sql), late])).length > 0 ? "migrations_pending" : "ready";
  } catch (error) {
    log.warn("readiness check failed", describeError(error));
    return error instanceof ForeignSchema ? "foreign_schema" : "unavailable";
  }
}
