const FOREIGN = /(?!\p{Script=Latin})\p{L}/gu;
/**
 * Scripts with a word or a syllable in each character. Two such characters say as much as three
 * letters do elsewhere.
 */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * Adds the letters of the text that aren't Latin to a vector of the model. The result is of unit
 * length as well. The model was trained on English. It has no tokens for Thai or most of Chinese,
 * and it gives nearly the same vector to all long Greek texts. Among Linux messages in 14 such
 * languages, 2 to 99 % of the pairs that have nothing in common had a cosine of at least 0.65. With
 * the letters, at most 0.4 % of these pairs have it. A text without a fifth of its words, and with
 * the others in reverse order, has a cosine of 0.69 to 1 with the original.
 */
export function withLetters(vector: Float32Array, text: string): Float32Array {
  const foreign = text.match(FOREIGN)?.length ?? 0;
  if (foreign === 0) return vector;
  const share = foreign / text.match(/\p{L}/gu)!.length;
  const letters = vectorOfLetters(text, vector.length);
  // In a text that repeats one letter, two runs of letters may cancel each other out. The result
  // would be a vector of zeros, which has no cosine.
  if (!letters.some(Boolean)) return vector;
  return toUnit(vector.map((value, at) => Math.sqrt(1 - share) * value + Math.sqrt(share) * letters[at]!));
}

/**
 * Adds each run of letters once, in a dimension and with a sign that the run's hash gives (feature
 * hashing, Weinberger 2009).
 */
function vectorOfLetters(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const run of runsOf(text)) {
    const hash = hashOf(run);
    vector[(hash >>> 1) % dimensions]! += hash & 1 ? 1 : -1;
  }
  return toUnit(vector);
}

function runsOf(text: string): Set<string> {
  const letters = [...` ${text} `.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")];
  const runs = new Set<string>();
  for (let at = 0; at < letters.length - 1; at++) {
    const pair = letters[at]! + letters[at + 1]!;
    runs.add(DENSE.test(pair) ? pair : pair + (letters[at + 2] ?? ""));
  }
  return runs;
}

/**
 * FNV-1a over the UTF-16 units, with one more step of mixing, because without it similar runs have
 * similar hashes.
 */
function hashOf(run: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < run.length; at++) hash = Math.imul(hash ^ run.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ hash >>> 15, 0x2c1b3c6d);
  return (hash ^ hash >>> 13) >>> 0;
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
