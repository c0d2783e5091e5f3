import type { Db, Fragment } from "../../db/open.ts";
import type { RequestContext } from "./context.ts";
import { jsonb } from "./json.ts";

/**
 * For each column, by its name: the column's bytes in a row `r`, and the value that replaces the
 * text if it is left out.
 */
export type LongTexts = Record<string, { bytes: string; blank: null | "" | [] }>;

/** An expression for the bytes of all long texts of a row `r`. */
export function bytesOf(db: Db, texts: LongTexts): Fragment {
  return db.unsafe(Object.values(texts).map(({ bytes }) => `coalesce(${bytes}, 0)`).join(" + "));
}

interface LongRows {
  /** The rows of the list, in its order and with its limit. */
  rows: Fragment;
  order: Fragment;
  /** The bytes of the long texts of `r`, a row. */
  size: Fragment;
}

/**
 * Cuts a page of rows with long texts. It keeps the first rows whose long texts have at most
 * `pageBytes` together, and at least one row. The database never sends the other rows. `found`
 * tells `page` how many rows there were.
 */
export function withinBytes(
  { db, pageBytes }: Pick<RequestContext, "db" | "pageBytes">,
  list: LongRows,
): Fragment {
  const { rows, order, size } = list;
  return db`(select * from (
    select *, count(*) over () as found,
      coalesce(sum(${size}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (${rows}) r) r where bytes_before < ${pageBytes})`;
}

/** A list without pages. */
interface Whole {
  texts: LongTexts;
  table: "tasks" | "test_cases";
  /** The condition for a row `r`. */
  where: Fragment;
}

/** The values that replace left-out texts, by the id of their row. */
type Blanks = Record<string, Record<string, unknown>>;

/** Finds the texts that must be left out so that the others have at most `pageBytes`. */
export async function longestTexts(
  { db, pageBytes }: Pick<RequestContext, "db" | "pageBytes">,
  { texts, table, where }: Whole,
): Promise<Blanks> {
  const fields = Object.entries(texts).map(([name, { bytes }]) => `('${name}', ${bytes})`).join(", ");
  const sizes = await db<Size[]>`
    select id, name, bytes from ${db(table)} r, lateral (values ${db.unsafe(fields)}) f (name, bytes)
    where ${where} and bytes > 0`;
  const blanks: Blanks = {};
  for (const { id, name } of leaveOut(sizes, pageBytes)) (blanks[id] ??= {})[name] = texts[name]!.blank;
  return blanks;
}

/** The rows of the list without those texts. */
export function withoutTexts(db: Db, { table, where }: Whole, blanks: Blanks): Fragment {
  return db`(select t.* from ${db(table)} r,
    lateral jsonb_populate_record(r, coalesce(${
    jsonb(db, blanks)
  }::jsonb -> r.id::text, '{}')) t where ${where})`;
}

/** Adds to each row the names of the texts that are left out of it. */
export function tellLeftOut<Row extends { id: string }>(rows: readonly Row[], blanks: Blanks) {
  return rows.map((row) => row.id in blanks ? { ...row, left_out: Object.keys(blanks[row.id]!) } : row);
}

interface Size {
  id: string;
  name: string;
  bytes: number;
}

/** Returns the longest texts, enough of them that the others have at most `mostBytes`. */
export function leaveOut(sizes: readonly Size[], mostBytes: number): Size[] {
  let bytes = 0;
  const shortestFirst = sizes.toSorted((a, b) => a.bytes - b.bytes);
  return shortestFirst.filter((text) => (bytes += text.bytes) > mostBytes);
}
