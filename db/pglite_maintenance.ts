import type { Sql } from "./types.ts";

const CHECK_EVERY_MS = 10_000;
/**
 * Bytes of write-ahead log. The database reads that much again after a kill, and a backup takes
 * about that much besides the tables.
 */
const LONGEST_LOG = 64 * 1024 * 1024;

/** Tables of this many bytes or more are vacuumed after each start. */
const LARGE_TABLE = 1024 * 1024;

/**
 * Returns the tables of which more than a fifth and a thousand rows changed since their statistics
 * were taken. The counters start from zero with each process, so a large table that hasn't been
 * vacuumed since then counts as changed by any amount.
 */
export async function staleTables(sql: Sql): Promise<string[]> {
  // Without this a session reports its counters up to a second late, and only on its next
  // statement.
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

/** Whether the write-ahead log since the last checkpoint is so long that it is time for one. */
export async function needsCheckpoint(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ long: boolean }]>`
    select pg_current_wal_insert_lsn() - redo_lsn > ${LONGEST_LOG}::bigint as long from pg_control_checkpoint()`;
  return row.long;
}

/**
 * Does the work of a server's autovacuum and checkpointer, because PGlite has neither. Without
 * vacuum, plans get 20 times slower; without checkpoints, the write-ahead log grows for as long as
 * the process lives. The work goes through the one client, so it waits for transactions and never
 * runs inside one, and a request waits for one table at most.
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
