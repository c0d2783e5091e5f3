import type { Db } from "./types.ts";
import type { Table } from "./move_tables.ts";

/** Both sides of a move compute this for each table, and both must get the same. */
export interface TableSum {
  rows: number;
  /**
   * The sum of the first 60 bits of the MD5 of each row's text. The order of rows changes nothing.
   */
  sum: string;
  /** Bytes of all rows as text, and of the longest one. */
  bytes: number;
  longest: number;
}

/**
 * A statement's rows have at most this many bytes together, so memory is bounded. A longer row goes
 * alone.
 */
const BATCH_BYTES = 4_000_000;
const BATCH_ROWS = 1_000;

/** The columns are sorted by their names, because older installations may have another order. */
export async function sumTable(db: Db, { name, columns }: Table): Promise<TableSum> {
  const sorted = columns.map((column) => column.name).sort().join(", ");
  const [sum] = await db.unsafe<[TableSum]>(`
    select count(*) as rows, coalesce(sum(('x' || substr(md5(line), 1, 15))::bit(60)::bigint), 0)::text as sum,
      coalesce(sum(octet_length(line)), 0)::bigint as bytes, coalesce(max(octet_length(line)), 0) as longest
    from (select row(${sorted})::text as line from ${name}) lines`);
  return sum;
}

/**
 * Copies the rows of one table, a batch at a time. Rows are copied in PostgreSQL's own text form,
 * so each value stays the same. `table` is the target's table, whose column order counts.
 */
export async function copyRows(
  { from, to }: { from: Db; to: Db },
  table: Table,
  longest: number,
  onBatch: (rows: number, bytes: number) => Promise<void>,
): Promise<void> {
  const values = table.columns.map(({ name, generated }) => generated ? "null" : name).join(", ");
  const size = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_BYTES / Math.max(1, longest))));
  await from.unsafe(
    `declare moved_rows no scroll cursor for select row(${values})::text as line from ${table.name}`,
  );
  for (;;) {
    const rows = await from.unsafe<{ line: string }[]>(`fetch ${size} from moved_rows`);
    if (rows.length === 0) break;
    const lines = JSON.stringify(rows.map(({ line }) => line));
    await to.unsafe(insertion(table), [lines]);
    await onBatch(rows.length, lines.length);
  }
  await from.unsafe("close moved_rows");
}

/** With `offset 0` the planner reads the row's text once and not once for each column. */
function insertion({ name, columns }: Table): string {
  const stored = columns.filter(({ generated }) => !generated).map((column) => column.name);
  return `
    insert into ${name} (${stored.join(", ")}) overriding system value
    select ${stored.map((column) => `(moved).${column}`).join(", ")}
    from (select line::${name} as moved from json_array_elements_text($1::text::json) line offset 0) lines`;
}
