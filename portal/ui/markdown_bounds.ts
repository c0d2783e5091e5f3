/** The most quotes and lists that begin on one line, each inside the one before it. */
const DEEPEST = 20;
/** The most cells of all tables of a text. A row of a table is filled up to the width of its head. */
const MOST_CELLS = 5_000;
/**
 * The most characters of one paragraph that may begin or end an emphasis, a link or an element. A
 * reader of Markdown looks back from each of them to those before it.
 */
const MOST_MARKS = 1_500;

const CONTAINERS = /^(?:[ \t]*(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/;
const ONE_CONTAINER = />|[-*+]|\d{1,9}[.)]/g;
const RULE = /^\s*(?:(?:\*\s*){3,}|(?:_\s*){3,})$/;
const MARKS = /[*_~[\]<`]|:\/\/|www\.|@/gi;

/**
 * Tells whether the reader of Markdown can read a text within a moment. Some short texts take it
 * minutes, or more nesting than a browser can draw. They are shown as they were written.
 */
export function isReadable(text: string): boolean {
  let [cells, marks, width] = [0, 0, 0];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const containers = CONTAINERS.exec(line)?.[0] ?? "";
    if (count(containers, ONE_CONTAINER) > DEEPEST) return false;
    const rest = line.slice(containers.length);
    // A blank line ends the table and the paragraph.
    if (rest.trim() === "") [width, marks] = [0, 0];
    else if (/^[\s|:-]+$/.test(rest)) width = Math.max(width, count(rest, /\|/g) + 1);
    cells += width;
    if (!RULE.test(line)) marks += count(rest, MARKS);
    if (cells > MOST_CELLS || marks > MOST_MARKS) return false;
  }
  return true;
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
