import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../../db/open.ts";
import { isUnavailable } from "../../db/errors.ts";
import type { PgBoss } from "pg-boss";
import type { Embedder } from "../embedding/embedder.ts";
import type { Feed } from "./feed.ts";
import { lostWrites } from "./log.ts";
import type { Metrics, Sample } from "./metrics.ts";

/** Adds gauges of the model, the queues, the database connections and the log. */
export function addGauges(
  metrics: Metrics,
  { sql, isPglite }: Database,
  boss: PgBoss,
  embedder: Embedder,
  feed: Feed,
): void {
  metrics.watch("handoff_event_followers", "Streams and calls that wait for events", [], () => [
    { value: feed.size },
  ]);
  metrics.watch(
    "handoff_event_lag_seconds",
    "Age of the oldest change that has no number yet",
    [],
    () =>
      whileAvailable(async () => {
        const [{ lag }] = await sql<[{ lag: number }]>`
        select coalesce(extract(epoch from clock_timestamp() - min(h.created_at)), 0)::float8 as lag
        from event_outbox o join history h on h.id = o.history_id`;
        return [{ value: Math.max(0, lag) }];
      }),
  );
  metrics.watch(
    "handoff_webhook_backlog",
    "Outgoing deliveries that wait for a try",
    [],
    () =>
      whileAvailable(async () => {
        const [{ count }] = await sql<[{ count: number }]>`
        select count(*) as count from outbound_deliveries where status = 'pending'`;
        return [{ value: count }];
      }),
  );
  metrics.watch("handoff_embedding_queued", "Texts that wait for a model worker", [], () => [
    { value: embedder.state().queued },
  ]);
  metrics.watch("handoff_log_writes_lost", "Failed writes to the log", [], () => [
    { value: lostWrites() },
  ]);
  metrics.watch(
    "handoff_queue_jobs",
    "Jobs by queue and state, at the last count",
    ["queue", "state"],
    () =>
      whileAvailable(async () =>
        (await boss.getQueues()).flatMap(({ name, queuedCount, activeCount, deferredCount, failedCount }) => [
          { labels: { queue: name, state: "queued" }, value: queuedCount ?? 0 },
          { labels: { queue: name, state: "active" }, value: activeCount ?? 0 },
          { labels: { queue: name, state: "deferred" }, value: deferredCount ?? 0 },
          { labels: { queue: name, state: "failed" }, value: failedCount ?? 0 },
        ])
      ),
  );
  metrics.watch(
    "handoff_questions_pending",
    "Questions that nobody has answered yet",
    [],
    () =>
      whileAvailable(async () => {
        const [{ count }] = await sql<[{ count: number }]>`
        select count(*)::integer as count from questions where status = 'pending'`;
        return [{ value: count }];
      }),
  );
  metrics.watch(
    "handoff_question_age_seconds",
    "Age of the oldest pending question",
    [],
    () =>
      whileAvailable(async () => {
        const [{ age }] = await sql<[{ age: number | null }]>`
        select extract(epoch from now() - min(created_at))::float8 as age from questions where status = 'pending'`;
        return [{ value: age ?? 0 }];
      }),
  );
  metrics.watch(
    "handoff_messages_pending",
    "Mails and chat messages on their way",
    [],
    () =>
      whileAvailable(async () => {
        const [{ count }] = await sql<[{ count: number }]>`
        select count(*)::integer as count from messages where state = 'pending'`;
        return [{ value: count }];
      }),
  );
  // Only processes that run jobs count the jobs. After the last of these processes has ended, the
  // counts stay as they are.
  metrics.watch(
    "handoff_queue_count_age_seconds",
    "Seconds since the jobs were last counted",
    [],
    () =>
      whileAvailable(async () => {
        const [{ age }] = await sql<[{ age: number | null }]>`
        select extract(epoch from now() - max(monitor_on))::float8 as age from pgboss.queue`;
        return age === null ? [] : [{ value: age }];
      }),
  );
  metrics.watch(
    "handoff_database_connections",
    "Connections of all processes by state",
    ["state"],
    () =>
      isPglite ? [{ labels: { state: "embedded" }, value: 1 }] : whileAvailable(async () => {
        const rows = await sql<{ state: string; count: number }[]>`
        select coalesce(state, 'unknown') as state, count(*) as count from pg_stat_activity
        where application_name = 'handoff' and datname = current_database() group by 1`;
        return rows.map(({ state, count }) => ({ labels: { state }, value: count }));
      }),
  );
}

/** This is well below the time limit of a scrape. */
const READ_TIMEOUT_MS = 2_000;

/**
 * If the database is away or slow, or its pool is full, the scrape goes on without the database's
 * figures, because an operator then needs the other ones.
 */
async function whileAvailable(read: () => Promise<Sample[]>): Promise<Sample[]> {
  try {
    return await Promise.race([read(), pause(READ_TIMEOUT_MS, [], { ref: false })]);
  } catch (error) {
    if (isUnavailable(error)) return [];
    throw error;
  }
}
