import { blocksOf } from "./_blocks.ts";

const COMMENT_IN_HTML = /<!--(?:-?>|[^]*?(?:-->|$))/g;
/**
 * The pieces of a paragraph's text, from left to right: an escape, a run of backticks, a comment, a
 * tag, or a letter.
 */
const PIECE = /\\[^]?|`+|<!--(?:-?>)?|<\/?[a-z][^<>]*>|[^\\`<]+|</giy;

/**
 * Removes the comments from a Markdown text, because nobody sees them. Inside code, `<!--` is text.
 */
export function withoutComments(markdown: string): string {
  if (!markdown.includes("<!--")) return markdown;
  return blocksOf(markdown).map(({ kind, lines }) => {
    const text = lines.join("\n");
    if (kind === "code") return text;
    return kind === "html" ? text.replace(COMMENT_IN_HTML, "") : withoutInlineComments(text);
  }).join("\n\n");
}

/** A comment without an end hides the rest of its paragraph. */
function withoutInlineComments(text: string): string {
  const endOfCode = closingRuns(text);
  const pieces = new RegExp(PIECE);
  let visible = "";
  for (let match = pieces.exec(text); match; match = pieces.exec(text)) {
    const { 0: piece, index } = match;
    if (piece === "<!--") {
      const end = text.indexOf("-->", pieces.lastIndex);
      if (end < 0) break;
      pieces.lastIndex = end + "-->".length;
    } else if (!piece.startsWith("<!--")) {
      if (piece.startsWith("`")) pieces.lastIndex = endOfCode(index, piece.length);
      visible += text.slice(index, pieces.lastIndex);
    }
  }
  return visible;
}

/**
 * Returns the position where code ends that starts with a run of backticks: after the next run of
 * the same length, or after the run itself.
 */
function closingRuns(text: string): (start: number, length: number) => number {
  const runs = Map.groupBy(text.matchAll(/`+/g), ([{ length }]) => length);
  return (start, length) => {
    const left = runs.get(length) ?? [];
    while (left[0] && left[0].index <= start) left.shift();
    return (left[0]?.index ?? start) + length;
  };
}
