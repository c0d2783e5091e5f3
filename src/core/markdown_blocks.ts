/** A part of a Markdown text that is text, code or HTML. */
export interface Block {
  kind: "text" | "code" | "html";
  /** Whether it is part of a quote. */
  isQuoted: boolean;
  /** The lines without the marks that make them part of a quote or list. */
  lines: string[];
}

/** A quote, or a list item as the column at which its text begins. */
type Container = ">" | number;

/** Deeper levels are ignored, because nobody reads them and each level costs time at every line. */
const DEEPEST = 100;

const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3}(?:[-+*]|(\d{1,9})[.)]))(?:( {1,4})(?=\S)| (?= {4})|(?= *$))/;
const THEMATIC_BREAK = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const HEADING = /^ {0,3}#{1,6}(?: |$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+) *$/;
const FENCE = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/;

/**
 * Pairs of patterns: how HTML begins at the start of a line, and how the last line of that HTML
 * looks. HTML without the second pattern ends before a blank line.
 */
const HTML: [start: RegExp, end?: RegExp][] = [
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<(?:pre|script|style|textarea)(?:\s|>|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<![a-z]/i, />/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [
    /^ {0,3}<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|\/?>|$)/i,
  ],
];
/** Any other tag that is alone on its line. Such a tag doesn't end a paragraph. */
const LONE_TAG = /^ {0,3}<(?:\/[a-z][a-z0-9-]*\s*|[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?)>\s*$/i;

/**
 * Splits a Markdown text into blocks, by the rules of CommonMark that tell text, code and HTML
 * apart. It makes one pass over the lines, because libraries take minutes for some texts of 64 KiB
 * that a stranger may write.
 */
export function blocksOf(markdown: string): Block[] {
  const reader = new BlockReader();
  for (const line of markdown.split(/\r\n?|\n/)) reader.read(withoutTabs(line));
  return reader.blocks;
}

/** Replaces each tab by the blanks up to the next column that is a multiple of four. */
function withoutTabs(line: string): string {
  return line.split("\t").map((part, at, { length }) =>
    at === length - 1 ? part : part + " ".repeat(4 - part.length % 4)
  ).join("");
}

class BlockReader {
  readonly blocks: Block[] = [];
  #containers: Container[] = [];
  /** The last block while it is open. */
  #open: Block | undefined;
  /** Tells whether a line ends an open fence or open HTML. */
  #isEnd: ((line: string) => boolean) | undefined;
  /** Tells whether the last line began an item and has no text. A blank line ends such an item. */
  #isEmptyItem = false;

  read(line: string): void {
    const { rest, depth } = this.#enter(line);
    const isInside = depth === this.#containers.length;
    if (this.#isEmptyItem && isInside && rest.trim() === "") return this.#leave(depth - 1);
    if (this.#open && this.#isEnd && isInside) return this.#goOn(rest);
    const isParagraph = this.#open?.kind === "text";
    if (isParagraph && !isInside && isPlain(rest)) return void this.#open!.lines.push(rest);
    if (!isInside) this.#leave(depth);
    const left = this.#containers.length;
    const text = this.#nest(rest);
    this.#isEmptyItem = this.#containers.length > left && text.trim() === "";
    this.#readNew(text);
  }

  /** Strips the marks of the open containers from a line, as many as it has. */
  #enter(line: string): { rest: string; depth: number } {
    let rest = line;
    let depth = 0;
    for (const container of this.#containers) {
      const taken = container === ">" ? QUOTE.exec(rest)?.[0].length : indented(rest, container);
      if (taken === undefined) break;
      rest = rest.slice(taken);
      depth++;
    }
    return { rest, depth };
  }

  #goOn(rest: string): void {
    this.#open!.lines.push(rest);
    if (this.#isEnd!(rest)) this.#close();
  }

  #leave(depth: number): void {
    this.#containers.length = depth;
    this.#isEmptyItem = false;
    this.#close();
  }

  #close(): void {
    this.#open = this.#isEnd = undefined;
  }

  /** Opens the quotes and items that begin on the line and returns the rest of the line. */
  #nest(line: string): string {
    let rest = line;
    while (this.#containers.length < DEEPEST && !THEMATIC_BREAK.test(rest)) {
      const [quote] = QUOTE.exec(rest) ?? [];
      const [item, marker = "", number, blanks = " "] = ITEM.exec(rest) ?? [];
      const interrupts = this.#open?.kind !== "text" ||
        (rest.trim() !== marker.trim() && (number ?? "1") === "1");
      if (quote === undefined && (item === undefined || !interrupts)) break;
      this.#close();
      this.#containers.push(quote === undefined ? marker.length + blanks.length : ">");
      rest = rest.slice(quote === undefined ? marker.length + blanks.length : quote.length);
    }
    return rest;
  }

  #readNew(line: string): void {
    if (line.trim() === "") {
      // Indented code goes on after blank lines, and no comment begins inside it.
      if (this.#open?.kind !== "code") this.#close();
      return;
    }
    const isParagraph = this.#open?.kind === "text";
    if (!isParagraph && line.startsWith("    ")) return this.#append("code", line);
    const fence = FENCE.exec(line);
    if (fence) return this.#begin("code", line, endOfFence(fence[1] ?? fence[2]!));
    const html = HTML.find(([start]) => start.test(line));
    if (html) return this.#beginHtml(line, html[1]);
    if (!isParagraph && LONE_TAG.test(line)) return this.#beginHtml(line, undefined);
    if (HEADING.test(line) || THEMATIC_BREAK.test(line)) this.#close();
    this.#append("text", line);
    const isUnderline = isParagraph && UNDERLINE.test(line);
    if (HEADING.test(line) || THEMATIC_BREAK.test(line) || isUnderline) this.#close();
  }

  #append(kind: Block["kind"], line: string): void {
    if (this.#open?.kind === kind) return void this.#open.lines.push(line);
    this.#close();
    this.#open = { kind, isQuoted: this.#containers.includes(">"), lines: [line] };
    this.blocks.push(this.#open);
  }

  #begin(kind: Block["kind"], line: string, isEnd: (line: string) => boolean): void {
    this.#close();
    this.#append(kind, line);
    this.#isEnd = isEnd;
  }

  #beginHtml(line: string, end: RegExp | undefined): void {
    this.#begin("html", line, end ? (line) => end.test(line) : (line) => line.trim() === "");
    if (end?.test(line)) this.#close();
  }
}

/**
 * Tells whether the line continues a paragraph without the marks of the paragraph's quote or item.
 */
function isPlain(line: string): boolean {
  return line.trim() !== "" && !QUOTE.test(line) && !ITEM.test(line) && !FENCE.test(line) &&
    !HEADING.test(line) &&
    !THEMATIC_BREAK.test(line) && !HTML.some(([start]) => start.test(line));
}

function indented(line: string, column: number): number | undefined {
  if (line.trim() === "") return Math.min(line.length, column);
  return line.startsWith(" ".repeat(column)) ? column : undefined;
}

function endOfFence(opening: string): (line: string) => boolean {
  const closing = new RegExp(`^ {0,3}${opening[0]}{${opening.length},} *$`);
  return (line) => closing.test(line);
}

/**
 * The pieces of a paragraph's text, from left to right: an escape, a run of backticks, a comment, a
 * tag, or a letter.
 */
const PIECE = /\\[^]?|`+|<!--(?:-?>)?|<\/?[a-z][^<>]*>|[^\\`<]+|</giy;

export interface Piece {
  kind: "text" | "code" | "comment";
  text: string;
}

/** Splits the text of a paragraph. A comment without an end takes the rest of its paragraph. */
export function piecesOf(text: string): Piece[] {
  const endOfCode = closingRuns(text);
  const pieces = new RegExp(PIECE);
  const found: Piece[] = [];
  for (let match = pieces.exec(text); match; match = pieces.exec(text)) {
    const { 0: piece, index } = match;
    let kind: Piece["kind"] = "text";
    if (piece.startsWith("<!--")) {
      kind = "comment";
      if (piece === "<!--") {
        const end = text.indexOf("-->", pieces.lastIndex);
        pieces.lastIndex = end < 0 ? text.length : end + "-->".length;
      }
    } else if (piece.startsWith("`")) {
      pieces.lastIndex = endOfCode(index, piece.length);
      if (pieces.lastIndex > index + piece.length) kind = "code";
    }
    found.push({ kind, text: text.slice(index, pieces.lastIndex) });
  }
  return found;
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
