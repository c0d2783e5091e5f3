import fc from "fast-check";

const letters = (pool: string, maxLength = 8) =>
  fc.string({ unit: fc.constantFrom(...pool), minLength: 1, maxLength });
const anyCharacter = fc.integer({ min: 0x80, max: 0x3ffff }).map((code) => String.fromCodePoint(code))
  .filter((character) => !/[\p{Cn}\p{Co}\p{Cs}]/u.test(character));

const word = fc.oneof(
  { weight: 6, arbitrary: letters("abcdefghijklmnopqrstuvwxyzABE019") },
  { weight: 3, arbitrary: fc.constantFrom(..."it is what the a to do or and not at t s don".split(" ")) },
  fc.tuple(fc.constantFrom("v", "V", "", "rc"), fc.nat(30), fc.nat(30)).map(([v, a, b]) => `${v}${a}.${b}`),
  letters("0123456789abcdef", 20),
  letters("äöüßéèñçåøŁžčÀÉ", 6),
  letters("привет", 6),
  letters("λόγοςΣάµ", 6),
  letters("سلامعليكم\u064b\u200c", 6),
  letters("שלום\u05b8\u05c1", 6),
  letters("हिन्दी\u094dक", 6),
  letters("ระบบเข้า\u0e48", 6),
  letters("設定画面のテストがぎ", 8),
  letters("ﾛｸﾞｲﾝｶﾞ", 6),
  letters("서버가다운", 6),
  letters("ＡＢＣａｂｃ１２３", 6),
  letters("ﬁﬂĳ①②Ⅳ²₂½㎏™ªſ", 4),
  letters("iIıİsŞş\u0307", 6),
  letters("aeoq\u0301\u0303\u0323", 6),
  letters("a\u00ad\u200d\u2060b", 6),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 4 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
);
const between = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(" ", " ", ", ", "\n") },
  fc.constantFrom(..."-_./@:&;+=#%\\~<>()[]'’“”\"|*?!…–—、。・·´¨⁄°€→"),
  fc.constantFrom(" - ", "--", "://", "&nbsp;", "\u00a0", "\u200b", "🔥", " 👍🏽 "),
);

function text(minLength: number, words: number) {
  return fc.array(fc.tuple(word, between), { minLength: words / 4, maxLength: words })
    .map((parts) => parts.flat().join("").replaceAll("\0", "").toWellFormed())
    .map((made) => [...`${made} ${"pad ".repeat(minLength)}`].slice(0, 140).join("").toWellFormed());
}

/** Titles and descriptions in any script, with any separators between words. */
export const texts = fc.record({ title: text(2, 8), description: text(3, 24) });

/**
 * Texts of characters that PostgreSQL's parser takes for parts of addresses, paths, entities, tags
 * and numbers, and of European letters. None of the characters makes the text be read in two ways.
 */
export const plainTexts = fc.oneof(
  letters("abceEx019", 40),
  letters("ab1e.-_/@&;:<>+~#%?=' \n", 40),
  letters("aA1e äÖßéčŽñåΣσλЖжйё“”—…’§°±·×÷¶€→ ", 40),
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x17e }).map((code) => String.fromCharCode(code)),
    maxLength: 40,
  }).map((text) => text.replace(/[\u00ad¼½¾]/g, "")),
);

interface Word {
  word: string;
  from: number;
  to: number;
}

/** Returns the words that a reader sees. */
export function wordsIn(text: string): Word[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu), ({ 0: word, index }) => {
    return { word, from: index, to: index + word.length };
  }).filter(({ word }) =>
    /[\p{L}\p{N}]/u.test(word.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFKC"))
  );
}

/**
 * Returns two or three words with only blanks, punctuation and emoji between them. A quote would
 * end the phrase.
 */
export function phrasesIn(text: string): string[] {
  const words = wordsIn(text);
  return words.slice(1).flatMap((second, at) => {
    const last = words[at + 2] ?? second;
    const phrase = text.slice(words[at]!.from, (at % 2 === 0 ? second : last).to);
    return /^[\p{L}\p{M}\p{N}\p{P}\p{Z}\s]*$/u.test(phrase) && !/["“”„‟«»＂]/u.test(phrase) ? [phrase] : [];
  }).slice(0, 3);
}
