const ENCODER = new TextEncoder();

/** Returns the bytes of a value as JSON. Quotes and control characters need escapes there. */
export function bytesOf(value: unknown): number {
  return ENCODER.encode(JSON.stringify(value)).length;
}

/** The bytes of the quotes around a text. */
const QUOTES = 2;

/**
 * Returns the longest beginning of a text that has at most `maxBytes` bytes in an answer and doesn't
 * end in half a character.
 */
function beginningOf(text: string, maxBytes: number): string {
  let [bytes, end] = [0, 0];
  for (const character of text) {
    bytes += bytesOf(character) - QUOTES;
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Returns a text, cut if it is too long. `rest` tells the agent how to read the missing part. */
export function cutText(text: string, maxBytes: number, rest: string): string;
export function cutText(text: string | null, maxBytes: number, rest: string): string | null;
export function cutText(text: string | null, maxBytes: number, rest: string): string | null {
  if (text === null || bytesOf(text) - QUOTES <= maxBytes) return text;
  const beginning = beginningOf(text, maxBytes);
  return `${beginning}… [${text.length - beginning.length} more characters: ${rest}${
    rest.includes("get_ticket with part") ? `, cursor ${beginning.length}` : ""
  }]`;
}

/**
 * Returns the part of a text from a position on, and the position at which the next part begins.
 */
export function partOf(
  text: string,
  from: number,
  maxBytes: number,
): { text: string; next_from: number | null } {
  const part = beginningOf(text.slice(from), maxBytes);
  const end = from + part.length;
  return { text: part, next_from: end < text.length ? end : null };
}

/** Returns the first rows that fit, and the number of rows that are left out. */
export function rowsWithin<Row>(
  rows: readonly Row[],
  maxBytes: number,
): { rows: Row[]; more: number | null } {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += bytesOf(row) + 1) > maxBytes);
  return end < 0 ? { rows: [...rows], more: null } : { rows: rows.slice(0, end), more: rows.length - end };
}

/** The most bytes of a page of rows, so that the rest of the answer fits as well. */
const MAX_PAGE_BYTES = 20 * 1024;

/**
 * Reads a page that fits into an answer. If the rows are too long, the page is read again with
 * fewer rows.
 */
export async function pageWithin<Page>(limit: number, load: (limit: number) => Promise<Page>): Promise<Page> {
  const page = await load(limit);
  if (limit === 1 || bytesOf(page) <= MAX_PAGE_BYTES) return page;
  return await pageWithin(Math.floor(limit / 2), load);
}
