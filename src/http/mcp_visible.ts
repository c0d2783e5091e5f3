/** Flags of parts of countries, which are written with tags: England, Scotland and Wales. */
const FLAG =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu;

/**
 * Characters that a person doesn't see but a model reads: controls of the direction of writing, tags,
 * blanks without width, and fillers. The marks U+200E, U+200F and U+061C stay, because mixed text needs
 * them, and they can't reorder what surrounds them.
 */
const INVISIBLE =
  /[\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180E\u200B\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E00FF}\u{E01F0}-\u{E0FFF}]/gu;

/**
 * Joiners, which only scripts that join letters and emoji need, and selectors of a variant, of which a
 * character has one at most.
 */
const STRAY_JOINERS =
  /(?<![\p{Extended_Pictographic}\p{M}\u{1F3FB}-\u{1F3FF}]|(?!\p{Script=Latin})\p{L})[\u200C\u200D]+|(?<=[\u200C\u200D])[\u200C\u200D]+/gu;
const STRAY_SELECTORS =
  /(?<!\S)[\uFE00-\uFE0F]+|(?<=[\uFE00-\uFE0F])[\uFE00-\uFE0F]+|(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]+|(?<!\p{Script=Mongolian})[\u180B-\u180D\u180F]+/gu;

/** A quick test, because nearly all texts have none of these characters. */
const SUSPICIOUS =
  /[\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200D\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/u;

/** Returns a text without the characters that could hide orders to a model from people. */
export function visibleText(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let end = 0;
  let clean = "";
  for (const { 0: flag, index } of text.matchAll(FLAG)) {
    clean += withoutInvisible(text.slice(end, index)) + flag;
    end = index + flag.length;
  }
  return clean + withoutInvisible(text.slice(end));
}

function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "").replace(STRAY_JOINERS, "").replace(STRAY_SELECTORS, "");
}
