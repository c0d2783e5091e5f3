import { type FilterKey, readTerms, writeText, type WrittenFilter } from "./filter_terms.ts";
import { type FilterValues, KINDS } from "./filter_values.ts";
import { MAX_SEARCH_TEXT } from "./schema.ts";
import { isOr } from "./search_grammar.ts";

/** A value that no value of its key is. */
interface Unknown {
  unknown: string;
}

/** Finds the tickets that have one of the values; if it is excluded, those that have none of them. */
type FilterOf<Key extends FilterKey> = {
  key: Key;
  excluded: boolean;
  values: (FilterValues[Key] | Unknown)[];
};
export type TicketFilter = { [Key in FilterKey]: FilterOf<Key> }[FilterKey];

/** A text that says which tickets are sought. A ticket must fit the words and each filter. */
export interface FilterText {
  /** The text for `parseSearch`, which is empty if there are only filters. */
  words: string;
  filters: TicketFilter[];
}

const MAX_WORDS = 200;
const MAX_FILTERS = 20;
const MAX_VALUES = 100;

/** A text that can't be read. Its message is for people. */
export class FilterFault extends Error {
  override name = "FilterFault";
}

interface ReadTerm {
  /** null if the term is a word. */
  filter: TicketFilter | null;
  isOr: boolean;
  /** Nothing in quotes is neither sought nor found. */
  isEmpty: boolean;
  start: number;
  end: number;
}

/**
 * Parses a text such as `upload -draft label:ui,"needs design" due:<7d`. A term that is a key, a
 * colon and a value is a filter. A comma means one of, and a hyphen in front excludes. Any other
 * term is one of the words, and so is each term in quotes. `or` stands between words only, because
 * filters hold for the whole text.
 * @throws {FilterFault} if there is too much of something, or an `or` beside a filter
 */
export function parseFilterText(text: string): FilterText {
  if (lengthOf(text) > MAX_SEARCH_TEXT) {
    throw new FilterFault(`Must have at most ${MAX_SEARCH_TEXT} characters`);
  }
  const terms = termsOf(text);
  const filters = terms.flatMap(({ filter }) => filter ?? []);
  const words = terms.filter(({ filter }) => !filter);
  refuseTooMany(filters, words.reduce((sum, { start, end }) => sum + lengthOf(text.slice(start, end)), 0));
  refuseOrBesideFilter(terms);
  return { words: wordsOf(text, terms), filters };
}

/**
 * Writes a text from which `parseFilterText` reads the same. The filters come first, because a quote
 * that isn't closed reaches to the end.
 */
export function writeFilterText({ words, filters }: FilterText): string {
  return [...filters.map(writeFilter), words].filter((part) => part !== "").join(" ");
}

function termsOf(text: string): ReadTerm[] {
  return readTerms(text).map(({ filter, quoted, bare, start, end }) => ({
    filter: filter && filterOf(filter),
    isOr: bare !== undefined && isOr(bare),
    isEmpty: quoted?.trim() === "",
    start,
    end,
  }));
}

function filterOf({ key, excluded, values }: WrittenFilter): TicketFilter {
  const read = values.map((value) => KINDS[key].read(value) ?? { unknown: value.text });
  return { key, excluded, values: read } as TicketFilter;
}

/** Cuts the filters out of a text. An `or` in front would stand behind a filter when it is written. */
function wordsOf(text: string, terms: readonly ReadTerm[]): string {
  const first = terms.findIndex(({ filter, isOr, isEmpty }) => !filter && !isOr && !isEmpty);
  const words = terms.map((term, at) => ({ ...term, isCut: term.filter !== null || at < first }));
  return words.reduce((all, { isCut, start, end }, at) => {
    if (isCut) return all;
    const before = words[at - 1];
    const gap = before && !before.isCut ? text.slice(before.end, start) : all === "" ? "" : " ";
    return all + gap + text.slice(start, end);
  }, "");
}

function refuseTooMany(filters: readonly TicketFilter[], length: number): void {
  if (length > MAX_WORDS) {
    throw new FilterFault(`Must have at most ${MAX_WORDS} characters beside the filters`);
  }
  if (filters.length > MAX_FILTERS) throw new FilterFault(`Must have at most ${MAX_FILTERS} filters`);
  const values = filters.reduce((sum, { values }) => sum + values.length, 0);
  if (values > MAX_VALUES) throw new FilterFault(`Must have at most ${MAX_VALUES} values of filters`);
}

/** An `or` with nothing on one side of it means nothing, as in a search for words. */
function refuseOrBesideFilter(terms: readonly ReadTerm[]): void {
  const isSide = ({ isOr, isEmpty }: ReadTerm) => !isOr && !isEmpty;
  for (const [at, { isOr }] of terms.entries()) {
    if (!isOr) continue;
    const before = terms.slice(0, at).findLast(isSide);
    const after = terms.slice(at).find(isSide);
    if (before && after && (before.filter || after.filter)) {
      throw new FilterFault('An "or" can stand between words only. A comma means one of, as in label:ui,api');
    }
  }
}

function writeFilter({ key, excluded, values }: TicketFilter): string {
  const write = KINDS[key].write as (value: unknown) => string;
  const written = values.map((value) =>
    typeof value === "object" && "unknown" in value ? writeText(value.unknown) : write(value)
  );
  return `${excluded ? "-" : ""}${key}:${written.join(",")}`;
}

function lengthOf(text: string): number {
  return [...text].length;
}
