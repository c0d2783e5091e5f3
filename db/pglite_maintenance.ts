import type { Sql } from "./types.ts";

const CHECK_EVERY_MS = 10_000;
/** Bytes of write-ahead log: what is read again after a kill, and about what a backup takes besides the tables. */
const LONGEST_LOG = 64 * 1024 * 1024;

/** Bytes from which on a table is vacuumed after each start. */
const LARGE_TABLE = 1024 * 1024;

/**
 * Which tables changed by more than a fifth and a thousand rows since their statistics were taken. The counters begin anew
 * with each start: a large table that wasn't vacuumed since may have changed by any amount before.
 */
export async function staleTables(sql: Sql): Promise<string[]> {
  // Otherwise a session reports its counters up to a second late, and on its next statement.
  await sql`select pg_stat_force_next_flush()`;
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', s.schemaname, s.relname) as name
    from pg_stat_user_tables s
    join pg_class c on c.oid = s.relid
    where greatest(s.n_mod_since_analyze, s.n_dead_tup) > 1000 + greatest(c.reltuples, 0) / 5
      or (s.last_vacuum is null
        and pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) > ${LARGE_TABLE}::bigint)
    order by 1
  `;
  return rows.map((row) => row.name);
}

/** Is the write-ahead log since the last checkpoint so long that it is time for one? */
export async function needsCheckpoint(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ long: boolean }]>`
    select pg_current_wal_insert_lsn() - redo_lsn > ${LONGEST_LOG}::bigint as long from pg_control_checkpoint()`;
  return row.long;
}

/**
 * Does what autovacuum and the checkpointer do on a server; PGlite has neither: without the one plans get 20 times
 * slower, without the other the write-ahead log grows for as long as the process lives.
 * It goes through the one client, so it waits for transactions and never runs inside one, and a request waits
 * for one table at most.
 */
export function startMaintenance(
  sql: Sql,
  onError: (error: unknown) => void,
  everyMs = CHECK_EVERY_MS,
): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let timer = setTimeout(check, everyMs);

  function check(): void {
    running = maintain(sql, () => stopped)
      .catch(onError)
      .finally(() => {
        if (!stopped) timer = setTimeout(check, everyMs);
      });
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}

async function maintain(sql: Sql, isStopped: () => boolean): Promise<void> {
  for (const table of await staleTables(sql)) {
    if (isStopped()) return;
    await sql.unsafe(`vacuum (analyze) ${table}`);
  }
  if (!isStopped() && await needsCheckpoint(sql)) await sql`checkpoint`;
}
