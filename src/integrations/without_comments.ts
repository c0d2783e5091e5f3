import { blocksOf, piecesOf } from "../core/markdown_blocks.ts";

const COMMENT_IN_HTML = /<!--(?:-?>|[^]*?(?:-->|$))/g;

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

function withoutInlineComments(text: string): string {
  return piecesOf(text).map(({ kind, text }) => kind === "comment" ? "" : text).join("");
}
