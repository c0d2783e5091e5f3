import { digestOf } from "../suggestions/fingerprint.ts";

/** A ticket's text as comparable terms: stems of words, and identifiers as written. */
export interface Terms {
  /** Terms of the title, each with the word as it was written there. */
  title: ReadonlyMap<string, string>;
  /** Terms of title and description. */
  all: ReadonlySet<string>;
  /** Names that people don't repeat by chance: test and class names, CVE numbers, stack frames. */
  identifiers: ReadonlySet<string>;
  /** A digest of the text as written. When the digest changes, the facts have changed. */
  digest: string;
}

// A frame of a stack trace: at package.Class.method(File:12), or at fn (file.js:1:2). The indent
// matches only blanks and tabs of its own line, because with any white space the search would run
// from each empty line to the last.
const FRAME = /^[ \t]*at\s+([\w$.<>]{3,120}?)\s*\(/gm;
const TOKEN = /[\p{L}\p{M}\p{N}_$]+(?:[.\-#/:][\p{L}\p{M}\p{N}_$]+)*/gu;
// Scripts without blanks between words, for which a dictionary finds the words.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });
const CAMEL_PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+/gu;
/**
 * Longer names are data, such as a token: the longest name in 2,282 bug reports has 128 characters.
 */
const LONGEST_NAME = 150;
const MIXED_CASE = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}|_/u;

const COMMON = new Set(
  ("a an and are as at be but by can could did do does for from had has have how if in into is it its may no not of on or " +
    "our should so some such than that the their then there these they this to was we were what when where which while who " +
    "will with would you your").split(" "),
);

export function termsOf({ title, description }: { title: string; description: string }): Terms {
  const text = `${title}\n${description}`;
  return {
    title: wordsOf(title),
    all: new Set(wordsOf(text).keys()),
    identifiers: identifiersOf(text),
    digest: digestOf(text),
  };
}

/**
 * Returns the stems of the words and of the parts of camel-case names. Numbers are left out,
 * because duplicates may name different versions (netty 4.1.86, netty 4.1.89), and a version is
 * rare enough to outweigh the name before it.
 */
function wordsOf(text: string): Map<string, string> {
  const words = new Map<string, string>();
  const add = (written: string) => {
    const word = written.toLowerCase();
    if (word.length > 1 && !COMMON.has(word) && !/^\p{N}/u.test(word)) words.set(stem(word), written);
  };
  for (const [token] of text.normalize("NFKC").matchAll(TOKEN)) {
    for (const part of token.split(/[.\-#/:_$]/)) {
      if (UNSPACED.test(part)) { for (const { segment } of SEGMENTER.segment(part)) add(segment); }
      else add(part);
      const pieces = part.match(CAMEL_PART) ?? [];
      if (pieces.length > 1) { for (const piece of pieces) if (piece.length > 2) add(piece); }
    }
  }
  return words;
}

function stem(word: string): string {
  return word.replace(/(?<=.{3})(?:ing|ed|es|s)$/, "");
}

function identifiersOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, frame] of text.matchAll(FRAME)) found.add(`at ${frame}`);
  for (const [cve] of text.matchAll(/\bcve-\d{4}-\d{4,}/gi)) found.add(cve.toUpperCase());
  for (const [token] of text.matchAll(TOKEN)) {
    for (const part of token.split(/[.#/:]/)) {
      if (part.length >= 6 && part.length <= LONGEST_NAME && MIXED_CASE.test(part)) found.add(part);
    }
  }
  return found;
}
