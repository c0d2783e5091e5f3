import type { Sql } from "./types.ts";

const CHECK_EVERY_MS = 10_000;
/**
 * The bytes of write-ahead log after which a checkpoint is made. The database reads that many bytes
 * after a kill, and a backup contains about that many bytes in addition to the tables.
 */
const LONGEST_LOG = 64 * 1024 * 1024;

/** The least bytes of a table that is vacuumed after each start. */
const LARGE_TABLE = 1024 * 1024;

/**
 * Returns the tables of which more than a fifth and a thousand rows changed since their statistics
 * were taken. The counters start from zero in each process. Therefore a large table that this
 * process hasn't vacuumed yet is included after any change.
 */
export async function staleTables(sql: Sql): Promise<string[]> {
  // Without this call, a session reports its counters up to a second late, and only with its next
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

/**
 * Tells whether the write-ahead log since the last checkpoint is long enough for the next
 * checkpoint.
 */
export async function needsCheckpoint(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ long: boolean }]>`
    select pg_current_wal_insert_lsn() - redo_lsn > ${LONGEST_LOG}::bigint as long from pg_control_checkpoint()`;
  return row.long;
}

/**
 * Does the work of a server's autovacuum and checkpointer, because PGlite has neither. Without
 * vacuum, plans get 20 times slower; without checkpoints, the write-ahead log grows for as long as
 * the process lives. The work uses the service's only connection. It waits for transactions and
 * never runs inside one, and a request waits for the work on one table at most.
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
