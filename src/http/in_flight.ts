interface Place<T> {
  item: T;
  /** -1 once it is removed. */
  index: number;
}

/**
 * A collection of things that come and go with every call. A Set moves to a new table after every
 * few dozen removals, and its old table points to the new one. V8 keeps the objects that an old
 * object points to, even when nobody holds the old object any more. So every call was copied and
 * kept until the next full collection, which was a sixth of a small call's processor time.
 */
export class InFlight<T> {
  readonly #places: Place<T>[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** Adds an item. Returns a function that removes it and answers whether it was in. */
  add(item: T): () => boolean {
    const place = { item, index: this.#places.length };
    this.#places.push(place);
    return () => this.#remove(place);
  }

  /** Answers a copy, so that its reader may add and remove items. */
  items(): T[] {
    return this.#places.map(({ item }) => item);
  }

  #remove(place: Place<T>): boolean {
    if (place.index < 0) return false;
    const last = this.#places.pop()!;
    if (last !== place) {
      this.#places[place.index] = last;
      last.index = place.index;
    }
    place.index = -1;
    return true;
  }
}
