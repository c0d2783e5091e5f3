import { isSeen, toStorableText } from "../core/schema.ts";

const MAX_CHARACTERS = 5000;

/**
 * Returns a sender's text in a form that can be stored, cut to `max` characters; null if it shows
 * nothing.
 */
export function cleanText(text: string | null | undefined, max = MAX_CHARACTERS): string | null {
  if (!text) return null;
  const cleaned = [...toStorableText(text)].slice(0, max).join("");
  return isSeen(cleaned) ? cleaned : null;
}
