import type { Sql } from "../../db/open.ts";

const LOOK_EVERY_MS = 5_000;
/** The events after which tables may have grown so much that their plans are wrong. */
const MANY_EVENTS = 1_000;
/** After much has happened, this many looks follow, because other sessions count their rows late. */
const LOOKS = 3;

interface StatisticsInput {
  sql: Sql;
  /** The number of the last event, which grows with the rows that are written. */
  lastEvent: () => number;
  onError: (error: unknown) => void;
}

/**
 * Takes statistics of tables that have just grown. A server does this by itself, but a minute later
 * and only after a tenth of a table has changed. Until then, a list of a project that has just got
 * 10,000 tickets sorts all of them, because the planner expects few. Without much news this costs no
 * statement, and it never runs in a request.
 */
export function keepStatistics({ sql, lastEvent, onError }: StatisticsInput): { stop(): Promise<void> } {
  let seen = lastEvent();
  // An import or a move may have come before this start.
  let looks = 1;
  let running = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (lastEvent() - seen >= MANY_EVENTS) {
      seen = lastEvent();
      looks = LOOKS;
    }
    if (busy || looks === 0) return;
    looks--;
    busy = true;
    running = analyzeGrown(sql).catch(onError).finally(() => busy = false);
  }, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      return running;
    },
  };
}

/** A table that another process analyzes at the moment is left out. */
async function analyzeGrown(sql: Sql): Promise<void> {
  for (const name of await grownTables(sql)) await sql.unsafe(`analyze (skip_locked) ${name}`);
}

/** The tables of which more than a thousand rows and a twentieth are newer than their statistics. */
async function grownTables(sql: Sql): Promise<string[]> {
  // Otherwise a session would count its own rows late, and the embedded database has one session.
  await sql`select pg_stat_force_next_flush()`;
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', s.schemaname, s.relname) as name
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname = current_schema() and s.n_mod_since_analyze > 1000 + greatest(c.reltuples, 0) / 20
    order by 1`;
  return rows.map(({ name }) => name);
}
