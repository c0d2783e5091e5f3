import { type ConstructorOptions, type Db as Executor, PgBoss, type QueueOptions } from "pg-boss";
import { currentTransaction, type Db, isTransaction, type Sql } from "./open.ts";

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
 * commits with the rows it belongs to. Over the client, statements of a running transaction join it all the same:
 * `send` looks its queue up beside the `db` it is given, which would wait for the embedded one's only connection.
 */
export function bossExecutor(db: Db): Executor {
  return {
    async executeSql(text, values) {
      const tx = isTransaction(db) ? db : currentTransaction();
      if (hasValues(values)) return await runBound(tx ?? db, text, values);
      return tx ? { rows: flatten(await tx.unsafe(text)) } : await runScript(db as Sql, text);
    },
  };
}

interface Result {
  // pg-boss' own type.
  // deno-lint-ignore no-explicit-any
  rows: any[];
}

/** JSON is bound as text: a parameter of type json or jsonb would quote what pg-boss has written out already. */
async function runBound(db: Db, text: string, values: unknown[]): Promise<Result> {
  const bound = text.replace(/(\$\d+)::(jsonb?)\b/g, "$1::text::$2");
  const asText = new Set(Array.from(bound.matchAll(/\$(\d+)::text::jsonb?\b/g), (match) => Number(match[1])));
  const parameters = values.map((value, index) => toParameter(value, asText.has(index + 1)));
  return { rows: await db.unsafe(bound, parameters) };
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

type Parameter = string | number | boolean | Date | null | string[];

/** Objects elsewhere than in a JSON cast are for columns whose type postgres.js asks the server. */
function toParameter(value: unknown, isJsonText: boolean): Parameter {
  if (value === undefined) return null;
  return isJsonText && typeof value === "object" && value !== null
    ? JSON.stringify(value)
    : value as Parameter;
}
