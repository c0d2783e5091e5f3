const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text as a search compares them: in lower case and without accents. */
export function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(WORD), ([word]) => folded(word));
}

function folded(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** A text in which the words are marked that begin as a word of the query does. */
export function Marked({ text, q }: { text: string; q: string }) {
  const sought = wordsOf(q);
  let end = 0;
  const parts = Array.from(text.matchAll(WORD)).flatMap(({ 0: word, index }) => {
    if (!sought.some((each) => folded(word).startsWith(each))) return [];
    const before = text.slice(end, index);
    end = index + word.length;
    return [before, <mark key={index}>{word}</mark>];
  });
  return <>{parts}{text.slice(end)}</>;
}
