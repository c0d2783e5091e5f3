import type { TransactionSql } from "../db/open.ts";
import { serverUrl } from "./database.ts";
import type { Answer, Harness } from "./harness.ts";
import { until } from "./until.ts";

/**
 * Makes calls while a transaction holds what `lock` locks. Each call starts when the one before it
 * waits. When the last one waits, the transaction ends. The embedded database has one connection,
 * so no call waits inside it. There the calls come after the transaction.
 */
export async function behindLock<Result = Answer>(
  { sql }: Pick<Harness, "sql">,
  lock: (tx: TransactionSql) => Promise<unknown>,
  ...calls: (() => Promise<Result>)[]
): Promise<Result[]> {
  const started: Promise<Result>[] = [];
  await sql.begin(async (tx) => {
    await lock(tx);
    if (!serverUrl) return;
    for (const call of calls) {
      started.push(call());
      await until(async () => await waiting(sql) >= started.length);
    }
  });
  for (const call of calls.slice(started.length)) started.push(Promise.resolve(await call()));
  return await Promise.all(started);
}

/**
 * Makes a call that waits for what `lock` locks, and another call that doesn't wait. The second
 * call ends before the lock is released. On the embedded database the other call comes first.
 */
export async function besideLock<Result = Answer>(
  { sql }: Harness,
  lock: (tx: TransactionSql) => Promise<unknown>,
  { waits, passes }: { waits: () => Promise<Result>; passes: () => Promise<Result> },
): Promise<{ waited: Result; passed: Result }> {
  if (!serverUrl) return { passed: await passes(), waited: await waits() };
  const started: Promise<Result>[] = [];
  const passed = await sql.begin(async (tx) => {
    await lock(tx);
    started.push(waits());
    await until(async () => await waiting(sql) >= 1);
    return await passes();
  }) as Result;
  return { passed, waited: (await started[0])! };
}

async function waiting(sql: Harness["sql"]): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return row.n;
}
