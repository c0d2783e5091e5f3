import { type ConstructorOptions, type Db as Executor, PgBoss, type QueueOptions } from "pg-boss";
import type { Db, Sql } from "./types.ts";
import { currentTransaction, inTransaction, isTransaction } from "./transaction.ts";

interface BossOptions {
  isPglite: boolean;
  /**
   * Whether this process expires, retries and schedules jobs. A process that only enqueues jobs
   * leaves this to others.
   */
  supervises: boolean;
  /**
   * Called by pg-boss with errors between jobs. Without a listener such an error would end the
   * process.
   */
  onError: (error: unknown) => void;
}

/** The time between two looks for due jobs of all queues, in seconds. */
export const LOOK_SECONDS = 2;
/** How often a worker asks for jobs by itself, in seconds. A look wakes it as soon as there is a job. */
export const POLLING_SECONDS = 60;

/** Names the queues that have a job which may run now, by one statement in place of one of each worker. */
export async function dueQueues(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct name from pgboss.job where state < 'active' and start_after <= now()`;
  return rows.map(({ name }) => name);
}

/**
 * The settings of every queue. A check each 15 s notices a worker that has died 30 s after its last
 * heartbeat, so the worker's job runs again within 50 s. No run may last longer than 60 s.
 */
export const RECOVERY = { expireInSeconds: 60, heartbeatSeconds: 30 } satisfies QueueOptions;
const CHECK_SECONDS = 15;

/**
 * Creates pg-boss over the service's own client. `start()` creates or updates its schema `pgboss`.
 */
export function createBoss(sql: Sql, { isPglite, supervises, onError }: BossOptions): PgBoss {
  const options: ConstructorOptions = {
    db: bossExecutor(sql),
    backend: isPglite ? "pglite" : "postgres",
    schema: "pgboss",
    migrate: true,
    supervise: supervises,
    schedule: supervises,
    superviseIntervalSeconds: CHECK_SECONDS,
    monitorIntervalSeconds: CHECK_SECONDS,
    // The embedded database is vacuumed by pglite_maintenance.ts, and rebuilding an index would
    // stall its requests.
    monitorVacuum: !isPglite,
    reindex: !isPglite,
  };
  const boss = new PgBoss(options);
  boss.on("error", onceAMinute(onError));
  return boss;
}

/**
 * Passes each error on at most once a minute. A fault of the database fails each poll of every
 * worker, so an outage over a weekend would otherwise fill a gigabyte of log. pg-boss adds to some
 * messages which worker met the error; that part is cut off.
 */
export function onceAMinute(onError: (error: unknown) => void): (error: unknown) => void {
  const told = new Set<string>();
  let since = performance.now();
  return (error) => {
    if (performance.now() - since >= 60_000) {
      told.clear();
      since = performance.now();
    }
    const { message = error } = Object(error);
    const text = String(message).replace(/ \(Queue: .*/s, "");
    if (told.has(text)) return;
    told.add(text);
    onError(error);
  };
}

/**
 * Starts pg-boss. Its tables store when pg-boss last looked at the schedule and at each queue,
 * which occurrences it has sent, and since when a job may run or has run. If the clock was set
 * back, pg-boss would do nothing until these times are reached again, so times in the future are
 * corrected.
 */
export async function startBoss(boss: PgBoss, sql: Sql): Promise<void> {
  await boss.start();
  await sql.begin(async (tx) => {
    const { count } = await tx`update pgboss.version set cron_on = null where cron_on > now()`;
    if (count === 0) return;
    await tx`
      update pgboss.queue set monitor_claim_on = null, monitor_on = null, maintain_on = null
      where greatest(monitor_claim_on, monitor_on, maintain_on) > now()`;
    await tx`update pgboss.job set singleton_on = null where singleton_on > now() at time zone 'UTC'`;
    await tx`
      update pgboss.job set start_after = now() where state < 'active' and greatest(created_on, started_on) > now()`;
    await tx`update pgboss.job set heartbeat_on = now() where state = 'active' and heartbeat_on > now()`;
  });
}

/**
 * Sends the statements of pg-boss. Over a transaction's handle, as in `boss.send(…, { db })`, the
 * job commits with the rows that it belongs to. Statements over the client also join a running
 * transaction. The reason is that `send` looks up its queue without the `db` that it is given.
 * Outside of the transaction this look-up would wait for the embedded database's only connection.
 */
export function bossExecutor(db: Db): Executor {
  return {
    async executeSql(text, values) {
      const tx = isTransaction(db) ? db : currentTransaction();
      if (hasValues(values)) return await runBound(tx ?? db, text, values);
      return await runScript(tx ?? db, text);
    },
  };
}

interface Result {
  // pg-boss' own type.
  // deno-lint-ignore no-explicit-any
  rows: any[];
}

/**
 * Binds JSON as text, because pg-boss has written the JSON already, and a parameter of type json or
 * jsonb would quote it a second time.
 */
async function runBound(db: Db, text: string, values: unknown[]): Promise<Result> {
  const bound = text.replace(/(\$\d+)::(jsonb?)\b/g, "$1::text::$2");
  const asText = new Set(Array.from(bound.matchAll(/\$(\d+)::text::jsonb?\b/g), (match) => Number(match[1])));
  const parameters = values.map((value, index) => toParameter(value, asText.has(index + 1)));
  return { rows: await db.unsafe(bound, parameters) };
}

/**
 * Runs a script `begin; …; commit;` as one transaction of ours, without its own begin and commit.
 * postgres.js would not notice a commit inside a script. It would then wait for ever, or commit
 * somebody else's work on the connection.
 */
async function runScript(db: Db, text: string): Promise<Result> {
  const script = /^\s*begin\s*;(.*);\s*commit\s*;?\s*$/is.exec(text)?.[1];
  const rows = script === undefined
    ? await db.unsafe(text)
    : await inTransaction(db, (tx) => tx.unsafe(script));
  return { rows: flatten(rows) };
}

function hasValues(values: unknown[] | undefined): values is unknown[] {
  return values !== undefined && values.length > 0;
}

/** postgres.js returns one list of rows for each statement if there are several. */
function flatten(result: unknown[]): unknown[] {
  return result.some(Array.isArray) ? result.flat() : result;
}

type Parameter = string | number | boolean | Date | null | string[];

/** An object outside a JSON cast belongs to a column whose type postgres.js asks the server for. */
function toParameter(value: unknown, isJsonText: boolean): Parameter {
  if (value === undefined) return null;
  return isJsonText && typeof value === "object" && value !== null
    ? JSON.stringify(value)
    : value as Parameter;
}
