/**
 * RFC 4180. What a spreadsheet would take for a formula is told to be text: strangers write these. Where it takes `;` or a
 * tab for the end of a cell, what follows one is a cell too, in quotes or not.
 */
export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quote).join(",") + "\r\n").join("");
}

function quote(cell: string): string {
  const harmless = cell.replace(/(^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g, "$1'")
    .replace(/^[\t\r\n]/, "'$&");
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
