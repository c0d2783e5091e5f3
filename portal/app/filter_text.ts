import {
  type FilterKey,
  isFilterKey,
  QUOTES,
  readTerms,
  type Term,
  writeText,
  type WrittenValue,
} from "../../src/tickets/filter_terms.ts";

// A text that says which tickets are sought is kept as the person wrote it. A change of one filter
// leaves the rest as it stands.

type FilterTerm = Term & { filter: NonNullable<Term["filter"]> };

/** Values that mean something else when they stand in quotes. */
const MEANT = /^(me|none)$/i;

/** Writes a name as a value of a filter. A name such as none stands in quotes. */
export function writeName(name: string): string {
  const text = name.replaceAll(new RegExp(`[${QUOTES}]`, "gu"), "").trim();
  return MEANT.test(text) ? `"${text}"` : writeText(text);
}

/** The values that the filters of a key have, as they would be written. Excluded ones are left out. */
export function valuesOf(text: string, key: FilterKey): string[] {
  return termsOf(text, key).flatMap(({ filter }) => filter.values.map(written));
}

/** Whether two written values are the same one. */
export function isSameValue(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

/**
 * Adds a value to the filter of a key, or takes it away. A ticket has only one priority, but it may be
 * both mine and overdue, so a state is a filter of its own.
 */
export function toggleValue(text: string, key: FilterKey, value: string): string {
  const terms = termsOf(text, key);
  if (valuesOf(text, key).some((each) => isSameValue(each, value))) {
    return terms.toReversed().reduce((all, term) => {
      const rest = term.filter.values.map(written).filter((each) => !isSameValue(each, value));
      return rest.length === term.filter.values.length ? all : replaceTerm(all, term, key, rest);
    }, text);
  }
  const [first] = terms;
  if (!first || key === "is") return insertFilter(text, `${key}:${value}`);
  return replaceTerm(text, first, key, [...first.filter.values.map(written), value]);
}

/** Takes the filters of a key away. */
export function withoutKey(text: string, key: FilterKey): string {
  return termsOf(text, key).toReversed().reduce((all, term) => replaceTerm(all, term, key, []), text);
}

/** Puts another value in the place of a wrong one, also of one that is excluded. */
export function replaceValue(text: string, key: string, wrong: string, right: string): string {
  const isWrong = (value: WrittenValue) => cut(value.text.replace(/^@+/, "").trim()) === cut(wrong);
  const terms = readTerms(text).filter(isFilter).filter(({ filter }) => filter.key === key);
  return terms.toReversed().reduce((all, term) => {
    const { values, excluded } = term.filter;
    if (!values.some(isWrong)) return all;
    const next = values.map((value) => isWrong(value) ? right : written(value));
    return `${all.slice(0, term.start)}${excluded ? "-" : ""}${key}:${next.join(",")}${all.slice(term.end)}`;
  }, text);
}

/** The words of a text, without its filters. */
export function wordsAlone(text: string): string {
  return readTerms(text).filter(({ filter }) => !filter).map(({ start, end }) => text.slice(start, end))
    .join(" ");
}

/** A key or a value that a person is writing. */
export interface Begun {
  key: FilterKey | null;
  /** The beginning of the key or the value. */
  typed: string;
  /** The place in the text that a chosen key or value takes. */
  start: number;
  end: number;
}

const BEGUN = new RegExp(`(?:^|\\s)[-－﹣]?(?:([A-Za-z][A-Za-z-]*):)?([^\\s]*)$`, "u");
const OPEN_QUOTE = new RegExp(`[${QUOTES}]([^${QUOTES}]*)$`, "u");

/** Returns what is begun before the caret; null if it can't be completed. */
export function begunAt(text: string, caret: number): Begun | null {
  const before = text.slice(0, caret);
  const after = /^[^\s,]*/.exec(text.slice(caret))![0];
  // A value in quotes that aren't closed may contain blanks and commas.
  const isOpen = [...before].filter((letter) => QUOTES.includes(letter)).length % 2 === 1;
  const quote = isOpen ? OPEN_QUOTE.exec(before) : null;
  const [found, word, rest] = BEGUN.exec(quote ? before.slice(0, quote.index) : before) ?? [];
  if (found === undefined) return null;
  if (word === undefined) {
    if (quote || !/^[A-Za-z-]+$/.test(rest!) || after !== "") return null;
    return { key: null, typed: rest!.toLowerCase(), start: caret - rest!.length, end: caret };
  }
  const key = word.toLowerCase();
  if (!isFilterKey(key)) return null;
  if (quote) return { key, typed: quote[1]!, start: quote.index, end: caret + after.length };
  const typed = rest!.slice(rest!.lastIndexOf(",") + 1);
  return { key, typed, start: caret - typed.length, end: caret + after.length };
}

function termsOf(text: string, key: FilterKey): FilterTerm[] {
  return readTerms(text).filter(isFilter).filter(({ filter }) => filter.key === key && !filter.excluded);
}

function isFilter(term: Term): term is FilterTerm {
  return term.filter !== null;
}

function written({ text, quoted }: WrittenValue): string {
  return quoted ? writeName(text) : writeText(text);
}

/** A blank or hyphen is as good as an underscore in the values that have one. */
function folded(value: string): string {
  const text = value.normalize("NFKC").toLowerCase();
  const bare = text.replaceAll(new RegExp(`[${QUOTES}]`, "gu"), "").trim();
  return MEANT.test(bare) ? text : bare.replaceAll(/[\s_-]+/g, " ");
}

function replaceTerm(text: string, { start, end }: Term, key: FilterKey, values: string[]): string {
  if (values.length > 0) return `${text.slice(0, start)}${key}:${values.join(",")}${text.slice(end)}`;
  return `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`.trim();
}

/** Puts a filter behind those at the beginning, because a quote that isn't closed reaches to the end. */
function insertFilter(text: string, filter: string): string {
  const terms = readTerms(text);
  const first = terms.findIndex((term) => !isFilter(term));
  const before = first < 0 ? terms : terms.slice(0, first);
  const end = before.at(-1)?.end ?? 0;
  // The last filter of the beginning may have an open quote, too.
  const at = isOpenAt(text, end) ? 0 : end;
  return [text.slice(0, at).trim(), filter, text.slice(at).trim()].filter((part) => part !== "").join(" ");
}

function isOpenAt(text: string, end: number): boolean {
  return [...text.slice(0, end)].filter((letter) => QUOTES.includes(letter)).length % 2 === 1;
}

/** The service names a long value by its beginning. */
function cut(value: string): string {
  return [...value.replace(/…$/, "")].slice(0, 100).join("");
}
