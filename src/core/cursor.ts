import type { Db } from "../../db/open.ts";
import { charactersOf, PAGE_BYTES } from "./answer_budget.ts";
import { invalidField } from "./errors.ts";
import { Id, Timestamp } from "./schema.ts";

/** Packs the sort values of a page's last row into an opaque cursor. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

/**
 * The kinds of value that a cursor may hold. A value of another kind was made up by the caller, and
 * would fail in the database.
 */
const KINDS: Record<"integer" | "id" | "key" | "time" | "rank", (value: unknown) => boolean> = {
  integer: (value: unknown) => Number.isSafeInteger(value),
  id: (value: unknown) => typeof value === "string" && Id.safeParse(value).success,
  /** The key of a row, which is an id or a number. */
  key: (value: unknown) => KINDS.integer(value) || KINDS.id(value),
  /** The key of a place in an order by hand. */
  rank: (value: unknown) => typeof value === "string" && /^[0-9A-Za-z]+$/.test(value),
  time: (value: unknown) => typeof value === "string" && Timestamp.safeParse(value).success,
};

/**
 * A kind of value, or an exact text. The text distinguishes sort orders whose values are of the
 * same kinds.
 */
type ColumnKind = keyof typeof KINDS | { exactly: string };

const fits = (place: ColumnKind, value: unknown) =>
  typeof place === "object" ? value === place.exactly : KINDS[place](value);

/**
 * @throws {AppError} invalid_request when the cursor is not one of this list's, with values of one
 * of these forms
 */
export function decodeCursor(cursor: string, ...forms: (readonly ColumnKind[])[]): (string | number)[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (
      Array.isArray(values) &&
      forms.some((places) =>
        values.length === places.length && places.every((place, index) => fits(place, values[index]))
      )
    ) return values;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidField("cursor", "Not a cursor of this list");
}

/**
 * Writes the condition for where the page of a list ordered by id alone begins, with an `and`
 * before it.
 */
export function afterId(db: Db, column: string, cursor: string | undefined, order: "asc" | "desc" = "asc") {
  const follows = order === "asc" ? db`>` : db`<`;
  return cursor ? db`and ${db(column)} ${follows} ${decodeCursor(cursor, ["id"])[0]!}::uuid` : db``;
}

/**
 * Cuts the extra rows that tell whether there is a next page. A page of long rows ends before
 * `limit`, because 200 rows of 100 kB would hold up every other caller.
 */
export function page<Row extends object>(rows: readonly Row[], limit: number, key: KeyOf<Row>) {
  return pageOf(fitting(rows.slice(0, limit)), rows, key);
}

/**
 * The same for rows that have at most some 2 kB, so that no page of them is too long. Counting the
 * characters takes a twentieth of the time of a page of 50 tickets.
 */
export function pageOfShortRows<Row extends object>(rows: readonly Row[], limit: number, key: KeyOf<Row>) {
  return pageOf(rows.slice(0, limit), rows, key);
}

type KeyOf<Row> = (row: Row) => readonly (string | number)[];

function pageOf<Row extends object>(items: Row[], rows: readonly Row[], key: KeyOf<Row>) {
  const [first] = rows;
  const found = first && "found" in first ? Number(first.found) : rows.length;
  const last = items.at(-1);
  return { items, next_cursor: last && found > items.length ? encodeCursor(key(last)) : null };
}

/** Returns as many rows as fit, but at least the first one. */
function fitting<Row>(rows: readonly Row[]): Row[] {
  let characters = 0;
  const end = rows.findIndex((row, index) => (characters += charactersOf(row)) > PAGE_BYTES && index > 0);
  return end < 0 ? [...rows] : rows.slice(0, end);
}
