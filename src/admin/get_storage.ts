import type { Context } from "../core/context.ts";
import type { Storage } from "./schema.ts";

/**
 * Returns the database's size, the largest tables first. Row counts are estimates, because counting
 * would read all rows. They come from the statistics, which are empty after the embedded database
 * starts, or from the last vacuum; null if neither has a count.
 */
export async function getStorage({ db, config }: Context): Promise<Storage> {
  const [total] = await db<[{ bytes: number }]>`select pg_database_size(current_database()) as bytes`;
  const tables = await db<Storage["tables"]>`
    select n.nspname || '.' || c.relname as name, case when pg_relation_size(c.oid) = 0 then 0
        when s.n_live_tup > 0 or c.reltuples >= 0 then greatest(s.n_live_tup, c.reltuples::bigint) end as rows,
      pg_table_size(c.oid) as bytes, pg_indexes_size(c.oid) as index_bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_stat_user_tables s on s.relid = c.oid
    where c.relkind = 'r' and n.nspname in ('public', 'pgboss')
    order by pg_total_relation_size(c.oid) desc, name`;
  return { database: config.DATABASE_URL ? "server" : "embedded", bytes: total.bytes, tables };
}
