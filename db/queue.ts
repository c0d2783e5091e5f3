import { type ConstructorOptions, type Db as Executor, PgBoss, type QueueOptions } from "pg-boss";
import { assertOutsideTransaction, type Db, isTransaction, type Sql } from "./open.ts";

export interface BossOptions {
  embedded: boolean;
  /** Whether this process expires, retries and schedules jobs; one that only enqueues does not. */
  supervises: boolean;
  /** pg-boss reports what fails between jobs here; without a listener it would end the process. */
  onError: (error: unknown) => void;
}

/** How often a worker asks for jobs, in seconds. */
export const POLLING_SECONDS = 2;

/**
 * Every queue takes these: a worker that dies is noticed 30 s after its last heartbeat and by a check each 15 s,
 * so its job runs again within 50 s. No run may last longer than 60 s.
 */
export const RECOVERY = { expireInSeconds: 60, heartbeatSeconds: 30 } satisfies QueueOptions;
const CHECK_SECONDS = 15;

/** pg-boss over the service's own client. `start()` creates or updates its schema `pgboss`. */
export function createBoss(sql: Sql, { embedded, supervises, onError }: BossOptions): PgBoss {
  const options: ConstructorOptions = {
    db: bossExecutor(sql),
    backend: embedded ? "pglite" : "postgres",
    schema: "pgboss",
    migrate: true,
    supervise: supervises,
    schedule: supervises,
    superviseIntervalSeconds: CHECK_SECONDS,
    monitorIntervalSeconds: CHECK_SECONDS,
    // The embedded database is vacuumed by maintenance.ts, and rebuilding an index would stall its requests.
    monitorVacuum: !embedded,
    reindex: !embedded,
  };
  const boss = new PgBoss(options);
  boss.on("error", onError);
  return boss;
}

/**
 * What pg-boss sends its statements through. Over a transaction's handle, as `boss.send(…, { db })`, the job
 * commits with the rows it belongs to; inside a transaction no other way may be used.
 */
export function bossExecutor(db: Db): Executor {
  if (isTransaction(db)) return { executeSql: (text, values) => run(db, text, values) };
  return {
    async executeSql(text, values) {
      assertOutsideTransaction("a job is enqueued without { db: bossExecutor(tx) }");
      return await (hasValues(values) ? run(db, text, values) : runScript(db, text));
    },
  };
}

interface Result {
  // pg-boss' own type.
  // deno-lint-ignore no-explicit-any
  rows: any[];
}

async function run(db: Db, text: string, values: unknown[] | undefined): Promise<Result> {
  if (!hasValues(values)) return { rows: flatten(await db.unsafe(text)) };
  return { rows: await db.unsafe(bindJsonAsText(text), values.map(toParameter)) };
}

/** Scripts hold `begin; …; commit;`, so they need one connection, and it must be clean when it goes back. */
async function runScript(sql: Sql, text: string): Promise<Result> {
  const reserved = await sql.reserve();
  try {
    return { rows: flatten(await reserved.unsafe(text)) };
  } catch (error) {
    await rollBack(reserved);
    throw error;
  } finally {
    reserved.release();
  }
}

/** After a failed script only: what a lost connection leaves is rolled back by the server. */
async function rollBack(reserved: Sql): Promise<void> {
  await reserved.unsafe("rollback").catch((error: unknown) => error);
}

function hasValues(values: unknown[] | undefined): values is unknown[] {
  return values !== undefined && values.length > 0;
}

/** postgres.js answers one list of rows per statement when there are several. */
function flatten(result: unknown[]): unknown[] {
  return result.some(Array.isArray) ? result.flat() : result;
}

/** pg-boss sends JSON already written out, which a parameter of type json would get quoted once more. */
function bindJsonAsText(text: string): string {
  return text.replace(/(\$\d+)::(jsonb?)\b/g, "$1::text::$2");
}

type Parameter = string | number | boolean | Date | null | string[];

function toParameter(value: unknown): Parameter {
  return value === undefined ? null : value as Parameter;
}
