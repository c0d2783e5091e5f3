import { problems } from "../words/app.ts";

/** The most characters of a search that an address holds, as many as the service takes. */
export const LONGEST_QUERY = 2000;

/** The length of a text as the service counts it: an emoji is one character. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Characters that a person sees. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]/u;

/** Tells whether a person would see nothing of the text. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

export interface Bounds {
  isRequired?: boolean | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
}

/** Returns the reason for which the service would refuse the text's length, or null. */
export function problemOf(text: string, { isRequired, minLength = 0, maxLength = Infinity }: Bounds) {
  if (text === "") return null;
  const length = lengthOf(text);
  if (isRequired && isBlank(text)) return problems.missing;
  if (length < minLength) return problems.short(minLength, length);
  return length > maxLength ? problems.long(maxLength, length) : null;
}
