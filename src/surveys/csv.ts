/** Tells a spreadsheet the encoding. Without it the spreadsheet uses the encoding of its system. */
export const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Writes RFC 4180. Texts that a spreadsheet would take for a formula are marked as text, because
 * strangers write them. Some spreadsheets end a cell at `;` or a tab, so the text after one is
 * treated as a cell too, in quotes or not. No two texts give the same cell.
 */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quote).join(",") + "\r\n").join("");
}

/**
 * Joins several texts in one cell, as `one; two`. A text that contains the separator is put in
 * quotes.
 */
export function listCell(items: readonly string[]): string {
  return items.map((item) => /[;"]|^\s|\s$/.test(item) ? `"${item.replaceAll('"', '""')}"` : item).join("; ");
}

function quote(cell: string): string {
  // A text that starts with the apostrophe itself gets another one.
  const harmless = cell.replace(/(^|[;\t\r\n])(?=(?:[^\S\t\r\n]|["'])*[=+\-@＝＋－＠])/g, "$1'")
    .replace(/^'*[\t\r\n]/, "'$&");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
