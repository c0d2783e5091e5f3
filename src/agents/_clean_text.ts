const MAX_CHARACTERS = 5000;

/** A sender's text in a form that can be stored: no NUL, no half characters, not endless; null when there is none. */
export function cleanText(text: string | null | undefined): string | null {
  if (!text) return null;
  return [...text.toWellFormed().replaceAll("\0", "")].slice(0, MAX_CHARACTERS).join("") || null;
}
