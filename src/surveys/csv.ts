/** By it a spreadsheet knows the encoding: it reads other files as what its system uses. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * RFC 4180. A spreadsheet is told to read as text what it would take for a formula: strangers write these. Where it takes
 * `;` or a tab for the end of a cell, what follows one is a cell too, in quotes or not. No two texts give the same cell.
 */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => row.map(quote).join(",") + "\r\n").join("");
}

/** Several texts in one cell, as `one; two`; in quotes where a text has what parts them. */
export function listCell(items: readonly string[]): string {
  return items.map((item) => /[;"]|^\s|\s$/.test(item) ? `"${item.replaceAll('"', '""')}"` : item).join("; ");
}

function quote(cell: string): string {
  // A text that has the apostrophe itself gets one as well.
  const harmless = cell.replace(/(^|[;\t\r\n])(?=(?:[^\S\t\r\n]|["'])*[=+\-@＝＋－＠])/g, "$1'")
    .replace(/^'*[\t\r\n]/, "'$&");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
