/**
 * How the text of a search is divided into filters and words. The portal reads and writes such texts
 * by this file, too. So it has no imports, and what the values mean stays with the service.
 */

export const FILTER_KEYS = [
  "assignee",
  "author",
  "label",
  "milestone",
  "column",
  "parent",
  "children-of",
  "link",
  "is",
  "stage",
  "type",
  "priority",
  "role",
  "waiting",
  "due",
  "created",
  "updated",
  "closed",
  "estimate",
] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];

/** The values of the key `is`. */
export const STATES = ["open", "closed", "blocked", "blocking", "overdue", "watched", "mine"] as const;

/** A value of a filter as it was written, without its quotes. */
export interface WrittenValue {
  text: string;
  quoted: boolean;
}

export interface WrittenFilter {
  key: FilterKey;
  excluded: boolean;
  values: WrittenValue[];
}

/** A filter or a word, and its place in the text. */
export interface Term {
  start: number;
  end: number;
  /** null if the term is a word. */
  filter: WrittenFilter | null;
  /** A word in quotes, without them. */
  quoted?: string | undefined;
  /** A word without quotes. */
  bare?: string | undefined;
}

/** Other quotes are replaced, because phones and word processors write typographic ones. */
export const QUOTES = '"“”„‟«»＂';
export const WORD = new RegExp(`([-－﹣]?)[${QUOTES}]([^${QUOTES}]*)[${QUOTES}]?|([^\\s${QUOTES}]+)`, "gu");
const FILTER = new RegExp(
  `([-－﹣]?)([A-Za-z][A-Za-z-]*):((?:[${QUOTES}][^${QUOTES}]*[${QUOTES}]?|[^\\s${QUOTES}])+)`,
  "uy",
);
const VALUE = new RegExp(`[${QUOTES}]([^${QUOTES}]*)[${QUOTES}]?|(,)|([^,${QUOTES}]+)`, "gu");

/**
 * Divides a text such as `upload -draft label:ui,"needs design"`. A term that is a key, a colon and
 * a value is a filter. Any other term is a word, and so is each term in quotes.
 */
export function readTerms(text: string): Term[] {
  const word = new RegExp(WORD.source, "uy");
  const terms: Term[] = [];
  for (let start = 0; start < text.length;) {
    FILTER.lastIndex = word.lastIndex = start;
    const found = FILTER.exec(text);
    const filter = found && filterOf(found);
    const term = filter ? found : word.exec(text);
    const end = start + (term?.[0].length ?? 1);
    if (filter) terms.push({ start, end, filter });
    else if (term) terms.push({ start, end, filter: null, quoted: term[2], bare: term[3] });
    start = end;
  }
  return terms;
}

/** Writes a text so that it is read as one value. */
export function writeText(text: string): string {
  return /[\s,]/.test(text) ? `"${text}"` : text;
}

/** Whether a word is the key of a filter, in lower case. */
export function isFilterKey(word: string): word is FilterKey {
  return (FILTER_KEYS as readonly string[]).includes(word);
}

/** Returns null if it is no filter, because the key is none or there is no value. */
function filterOf([, hyphen, word, written]: RegExpExecArray): WrittenFilter | null {
  const key = word!.toLowerCase();
  if (!isFilterKey(key)) return null;
  const values = valuesOf(written!);
  return values.length > 0 ? { key, excluded: hyphen !== "", values } : null;
}

/** Splits values at the commas outside of quotes. */
function valuesOf(written: string): WrittenValue[] {
  const values: WrittenValue[] = [{ text: "", quoted: false }];
  for (const [, quoted, comma, bare] of written.matchAll(VALUE)) {
    if (comma) values.push({ text: "", quoted: false });
    else {
      const value = values.at(-1)!;
      value.text += quoted ?? bare;
      value.quoted ||= quoted !== undefined;
    }
  }
  return values.map(({ text, quoted }) => ({ text: text.trim(), quoted })).filter(({ text }) => text !== "");
}
