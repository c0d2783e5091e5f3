import { toStorableText } from "../core/schema.ts";

const MAX_CHARACTERS = 5000;

/**
 * Returns a sender's text in a form that can be stored, cut to `max` characters; null if there is
 * none.
 */
export function cleanText(text: string | null | undefined, max = MAX_CHARACTERS): string | null {
  if (!text) return null;
  return [...toStorableText(text)].slice(0, max).join("") || null;
}
