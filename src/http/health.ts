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
export type JobsState = () => "starting" | "ready" | "stalled";

const CHECK_TIMEOUT_MS = 2_000;
/** Much longer than the longest backlog of events takes that a restore has left. */
const LATE_EVENTS_S = 300;

/**
 * `/healthz` tells that the process answers. `/readyz` tells that the parts that the process needs
 * answer, too. The status is `degraded` if calls are served, but something else is not done.
 */
export function healthRoutes(services: Services, jobsState: JobsState): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.get("/healthz", (c) => c.json({ status: "ok" }));
  app.get("/readyz", async (c) => {
    const started = jobsState() !== "starting";
    const [database, sender] = await Promise.all([databaseState(services), senderState(services)]);
    const events = database === "ready" ? await eventsState(services) : "unknown";
    const model = services.embedder.state();
    const jobs = services.config.JOBS === "off" ? "off" : jobsState();
    // With a broken model only the hint of similar tickets is missing, so the service is still
    // ready.
    const ready = database === "ready" && started && model.state !== "starting";
    const isComplete = jobs !== "stalled" && sender !== "silent" && events !== "late";
    const status = !ready ? "not_ready" : isComplete ? "ready" : "degraded";
    return c.json({ status, database, model: model.state, jobs, sender, events }, ready ? 200 : 503);
  });
  return app;
}

async function databaseState(
  { sql, databaseHealth }: Services,
): Promise<"ready" | "migrations_pending" | "foreign_schema" | "unavailable" | "disk_full"> {
  if (databaseHealth.lost) return "unavailable";
  if (databaseHealth.full) return "disk_full";
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

/** A process that runs no jobs sends nothing. */
async function senderState({ config, sender }: Services): Promise<"ready" | "off" | "silent"> {
  if (config.JOBS === "off") return "off";
  return await sender.ask().then(() => "ready" as const, () => "silent" as const);
}

/** Tells whether changes get their numbers, without which nobody is told of them. */
async function eventsState({ sql }: Services): Promise<"ready" | "late" | "unknown"> {
  const late = pause(CHECK_TIMEOUT_MS, undefined, { ref: false });
  const [row] = await Promise.race([
    sql<[{ late: boolean }]>`
      select coalesce(min(h.created_at) < clock_timestamp() - ${LATE_EVENTS_S}::integer * interval '1 second', false) as late
      from event_outbox o join history h on h.id = o.history_id`.catch(() => []),
    late.then(() => []),
  ]);
  return row === undefined ? "unknown" : row.late ? "late" : "ready";
}
