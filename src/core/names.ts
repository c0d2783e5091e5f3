/**
 * Returns the form in which names of labels, milestones and columns are compared: without differences of
 * case, of width and of compatible letters.
 */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/gu, " ");
}

/** Returns the `most` names that are nearest to a name, nearest first, by their common letter pairs. */
export function nearestNames(name: string, names: readonly string[], most: number): string[] {
  const wanted = pairsOf(name);
  return names.map((candidate) => ({ candidate, share: shareOf(wanted, pairsOf(candidate)) }))
    .toSorted((a, b) => b.share - a.share || a.candidate.localeCompare(b.candidate))
    .slice(0, most).map(({ candidate }) => candidate);
}

/** The end of a refusal of an unknown name: the nearest three names, so that nobody invents one. */
export function nearestInWords(name: string, names: readonly string[]): string {
  const nearest = nearestNames(name, names, NEAREST).map((name) => `"${name}"`);
  return nearest.length > 0 ? `the nearest are ${nearest.join(", ")}` : "it has none yet";
}

const NEAREST = 3;

function pairsOf(name: string): Set<string> {
  const letters = [...` ${nameKey(name)} `];
  return new Set(letters.slice(1).map((letter, at) => letters[at]! + letter));
}

/** Dice's coefficient of two sets: 1 if they are equal, 0 if they share nothing. */
function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return 2 * a.intersection(b).size / (a.size + b.size);
}
