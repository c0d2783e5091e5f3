/**
 * The rarity of a term among a project's tickets, from a sample of them. A term of every ticket
 * weighs 0, a term of a single ticket 1. A sample is enough, because only the contrast of rare and
 * common matters, and it keeps the cost the same for projects of any size.
 */
export class Rarity {
  readonly #counts = new Map<string, number>();
  #tickets = 0;

  add(terms: Iterable<string>): void {
    this.#tickets++;
    for (const term of terms) this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1);
  }

  of(term: string): number {
    const most = Math.log(2 * (this.#tickets + 1));
    return Math.log((this.#tickets + 1) / ((this.#counts.get(term) ?? 0) + 0.5)) / most;
  }

  sum(terms: Iterable<string>): number {
    let sum = 0;
    for (const term of terms) sum += this.of(term);
    return sum;
  }
}
