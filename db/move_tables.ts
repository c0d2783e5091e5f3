import { MARK_TABLE } from "./move_mark.ts";
import type { Db } from "./types.ts";

export interface Table {
  /**
   * The name as it is written in a statement. The names of the queue's tables begin with their
   * schema.
   */
  name: string;
  /** All columns in the order of the table's row type, quoted. */
  columns: { name: string; generated: boolean }[];
}

/** A constraint or an index that is dropped before rows are loaded and created again afterwards. */
export interface MovedPart {
  drop: string;
  make: string;
}

/**
 * Tables that are not moved. Each engine derives the rows of the first by itself, and the second
 * contains measurements of each day.
 */
const LEFT_BEHIND = ["ticket_embedding_bits", "queue_stats", MARK_TABLE];

const schemas = (db: Db) => db`(n.nspname = current_schema() or n.nspname = 'pgboss')`;

/**
 * Returns the tables of the service and of its queue. A partition counts as a part of its table.
 */
export async function readTables(db: Db): Promise<Table[]> {
  return await db<Table[]>`
    select case when n.nspname = 'pgboss' then 'pgboss.' else '' end || quote_ident(c.relname) as name,
      json_agg(json_build_object('name', quote_ident(a.attname), 'generated', a.attgenerated <> '')
        order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where ${schemas(db)} and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all (${LEFT_BEHIND}::text[])
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    group by c.oid, n.nspname, c.relname
    order by n.nspname = 'pgboss', c.relname`;
}

/**
 * Returns the foreign keys. Without them the tables can be loaded in any order by a role that is no
 * superuser, and all keys of a table are checked at once.
 */
export async function readForeignKeys(db: Db): Promise<MovedPart[]> {
  return await db<MovedPart[]>`
    select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as drop,
      format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as make
    from pg_constraint k join pg_namespace n on n.oid = k.connamespace
    where ${schemas(db)} and k.contype = 'f' and k.conparentid = 0
    order by k.conrelid::regclass::text, k.conname`;
}

/**
 * Returns the indexes that no constraint needs. Making a graph of vectors at once takes a fraction
 * of the time.
 */
export async function readIndexes(db: Db): Promise<MovedPart[]> {
  return await db<MovedPart[]>`
    select format('drop index %s', i.indexrelid::regclass) as drop, pg_get_indexdef(i.indexrelid) as make
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind = 'r' and c.relname <> all (${LEFT_BEHIND}::text[])
      and not exists (
        select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
    order by i.indexrelid::regclass::text`;
}

/** Copies the positions of all sequences. */
export async function copySequences(from: Db, to: Db): Promise<void> {
  const names = await from<{ name: string }[]>`
    select case when n.nspname = 'pgboss' then 'pgboss.' else '' end || quote_ident(c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${schemas(from)} and c.relkind = 'S'`;
  for (const { name } of names) {
    const [at] = await from.unsafe(`select last_value::text as value, is_called from ${name}`);
    await to`select setval(${name}::text::regclass, ${at!["value"]}::text::bigint, ${
      at!["is_called"]
    }::boolean)`;
  }
}
