import { invalidField } from "./errors.ts";

/** Packs the sort values of a page's last row into an opaque cursor. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return btoa(JSON.stringify(values)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws {AppError} invalid_request when the cursor is not one of this list's, with these types of values */
export function decodeCursor(cursor: string, types: readonly ("string" | "number")[]): (string | number)[] {
  try {
    const values: unknown = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    if (
      Array.isArray(values) && values.length === types.length &&
      values.every((value, index) => typeof value === types[index])
    ) return values;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof DOMException)) throw error;
  }
  throw invalidField("cursor", "Not a cursor of this list");
}

/** Cuts the extra row that tells whether there is a next page. */
export function page<Row>(
  rows: readonly Row[],
  limit: number,
  key: (row: Row) => readonly (string | number)[],
) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(key(last)) : null };
}
