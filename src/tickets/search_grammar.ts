import { WORD } from "./filter_terms.ts";
import { isStopWord } from "./stop_words.ts";

export interface Search {
  /** A ticket matches if one of these matches. */
  alternatives: Alternative[];
  /** Numbers of the tickets that `q` names. */
  refs: number[];
}

export interface Alternative {
  /**
   * Input for the database's `search_query`, with `#7` for a ref of ticket 7; null if there are no
   * words.
   */
  words: string | null;
  /** Texts without any word. Each must occur as written. */
  literals: Literal[];
}

export interface Literal {
  text: string;
  excluded: boolean;
}

interface Term extends Literal {
  quoted: boolean;
}

const SYMBOL = /[\p{No}\p{Nl}\p{So}\p{Sc}]/u;
const EXCLUDED = /^[-－﹣](?![-－﹣])/u;

/**
 * Parses `q`. Its terms are separated by blanks. A ticket must have all terms, or all terms on one
 * side of an `or`. A term in quotes is a phrase, and so is a term of several words without blanks,
 * such as java.net.Socket; a quote that isn't closed reaches to the end. A hyphen before a word or
 * a quote excludes tickets that contain it. A ref of the project, with any of its `keys`, counts as
 * a word of the ticket that it names. Stop words and terms without a word are left out if other
 * words remain.
 */
export function parseSearch(q: string, keys: readonly string[]): Search {
  const terms = termsOf(q);
  const parts = alternativesOf(terms);
  // If `q` has nothing but `or`, then `or` is a word.
  const alternatives = (parts.length > 0 ? parts : [terms]).map((all) => alternativeOf(all, keys));
  const refs = terms.flatMap(({ text }) =>
    Array.from(normal(text).matchAll(refsOf(keys)), ([, number]) => Number(number))
  );
  return { alternatives: joined(alternatives), refs };
}

/**
 * Joins the alternatives that have only words into one, so that the database searches its index
 * once.
 */
function joined(alternatives: readonly Alternative[]): Alternative[] {
  const ofWords = alternatives.filter(({ literals }) => literals.length === 0).map(({ words }) => words);
  const others = alternatives.filter(({ literals }) => literals.length > 0);
  return ofWords.length > 0 ? [{ words: ofWords.join(" | "), literals: [] }, ...others] : others;
}

function termsOf(q: string): Term[] {
  const terms = Array.from(q.matchAll(WORD), ([, hyphen, quoted, bare]): Term => {
    if (bare === undefined) return { text: quoted!, quoted: true, excluded: hyphen !== "" };
    // A hyphen in an arrow, a line of hyphens or an option such as --force excludes nothing.
    const excluded = EXCLUDED.test(bare) && hasWord(bare);
    return { text: excluded ? bare.slice(1) : bare, quoted: false, excluded };
  }).filter(({ text }) => text.trim() !== "");
  return terms.length > 0 ? terms : [{ text: q.trim(), quoted: true, excluded: false }];
}

/** Splits the terms at each `or` and drops empty alternatives. */
function alternativesOf(terms: readonly Term[]): Term[][] {
  const alternatives: Term[][] = [[]];
  for (const term of terms) {
    if (!term.quoted && !term.excluded && isOr(term.text)) alternatives.push([]);
    else alternatives.at(-1)!.push(term);
  }
  return alternatives.filter((all) => all.length > 0);
}

/** Whether a term without quotes stands between alternatives. */
export function isOr(text: string): boolean {
  return normal(text) === "or";
}

function alternativeOf(terms: readonly Term[], keys: readonly string[]): Alternative {
  const words = conjunction(terms, keys);
  const sought = terms.filter(({ text, excluded }) => !hasWord(text) && (excluded || words === null));
  return {
    words,
    literals: [...new Map(sought.map((term) => [`${term.excluded}${term.text}`, term])).values()],
  };
}

/** Joins the terms that have words; null if none of them has a word. */
function conjunction(terms: readonly Term[], keys: readonly string[]): string | null {
  const worded = terms.filter(({ text }) => hasWord(text));
  const isBeside = ({ text, quoted, excluded }: Term) => !quoted && !excluded && isStopWord(normal(text));
  const asksForMore = worded.some((term) => !term.excluded && !isBeside(term));
  const sought = asksForMore ? worded.filter((term) => !isBeside(term)) : worded;
  if (sought.length === 0) return null;
  return `(${sought.map((term) => (term.excluded ? "!" : "") + operand(term, keys)).join(" & ")})`;
}

/**
 * A bare term may contain refs between other words. A phrase in quotes is a ref only if it contains
 * nothing else.
 */
function operand({ text, quoted }: Term, keys: readonly string[]): string {
  const parts = normal(text).split(refsOf(keys));
  const isPhrase = parts.length === 1 || quoted && parts.join("").trim() !== parts[1];
  if (isPhrase) return phrase(text);
  const operands = parts.flatMap((part, index) =>
    index % 2 === 1 ? [refTo(part, keys)] : hasWord(part) ? [phrase(part)] : []
  );
  return `(${operands.join(" & ")})`;
}

/** Matches the ticket itself and the tickets that mention it. */
function refTo(number: string, keys: readonly string[]): string {
  return `(#${number} | ${keys.map((key) => phrase(`${key}-${number}`)).join(" | ")})`;
}

/**
 * The database treats the text between two quotes as a phrase. It parts words at a symbol such as
 * ㎏, so 5㎏ is sought in its usual form too, as 5kg.
 */
function phrase(text: string): string {
  const forms = SYMBOL.test(text) ? new Set([text, text.normalize("NFKC")]) : [text];
  const phrases = Array.from(forms, (form) => `'${form.replaceAll("'", " ")}'`);
  return phrases.length === 1 ? phrases[0]! : `(${phrases.join(" | ")})`;
}

/**
 * Matches refs in a normal text, but not inside a name such as feature/ho-1-login or before a
 * decimal such as 1.5. A word processor may write the hyphen as one that doesn't break.
 */
function refsOf(keys: readonly string[]): RegExp {
  const hyphen = "[-\\u2010]";
  return new RegExp(
    `(?<!\\w|${hyphen})(?:${keys.join("|")})${hyphen}([1-9]\\d{0,8})(?!\\w|${hyphen}|\\.\\d)`,
    "giu",
  );
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]|(?=[\u2600-\u27BF\u{1F000}-\u{1FBFF}])\p{S}/u.test(normal(text));
}

/** Normalizes a text as the database's `words_of` does. */
function normal(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC").toLowerCase();
}
