import type { Context } from "../core/context.ts";
import type { Storage } from "./storage_schema.ts";

/** What the database takes, the largest tables first. Rows are the planner's estimate: counting would read them all. */
export async function getStorage({ db, config }: Context): Promise<Storage> {
  const [total] = await db<[{ bytes: number }]>`select pg_database_size(current_database()) as bytes`;
  const tables = await db<Storage["tables"]>`
    select n.nspname || '.' || c.relname as name, greatest(s.n_live_tup, 0) as rows,
      pg_table_size(c.oid) as bytes, pg_indexes_size(c.oid) as index_bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_stat_user_tables s on s.relid = c.oid
    where c.relkind = 'r' and n.nspname in ('public', 'pgboss')
    order by pg_total_relation_size(c.oid) desc, name`;
  return { database: config.DATABASE_URL ? "server" : "embedded", bytes: total.bytes, tables: [...tables] };
}
