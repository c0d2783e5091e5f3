import { blocksOf, piecesOf } from "../core/markdown_blocks.ts";

/** A ticket's ref in its parts, such as HO and 12. */
export interface Ref {
  key: string;
  number: number;
}

/** More refs of one text are text. */
const MOST = 100;

const REF = /\b([A-Z][A-Z0-9]{1,9})-([1-9]\d{0,8})\b/g;
const ADDRESS = /\bhttps?:\/\/[^\s<>)\]]+/gi;

/**
 * Returns the refs in Markdown texts, each once. A ref in code is code, and one in an address counts
 * only if the address is the service's own.
 */
export function refsIn(texts: readonly string[], publicUrl: string): Ref[] {
  const found = new Map<string, Ref>();
  for (const words of texts.flatMap(wordsOf)) {
    const own = words.replace(ADDRESS, (address) => address.startsWith(`${publicUrl}/`) ? address : " ");
    for (const [ref, key, number] of own.matchAll(REF)) {
      if (found.size < MOST) found.set(ref, { key: key!, number: Number(number) });
    }
  }
  return [...found.values()];
}

function wordsOf(markdown: string): string[] {
  return blocksOf(markdown)
    .filter(({ kind }) => kind === "text")
    .map(({ lines }) =>
      piecesOf(lines.join("\n")).map(({ kind, text }) => kind === "text" ? text : " ").join("")
    );
}
