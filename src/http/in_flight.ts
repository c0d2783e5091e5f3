interface Place<T> {
  item: T;
  /** -1 after the item was removed. */
  index: number;
}

/**
 * A collection of things that are added and removed with every call. A Set moves to a new table
 * after every few dozen removals, and the old table points to the new one. V8 keeps the objects to
 * which an object in old space points, even if nothing refers to that object any more. With a Set,
 * every call was therefore copied and kept until the next full collection, which was a sixth of a
 * small call's processor time.
 */
export class InFlight<T> {
  readonly #places: Place<T>[] = [];

  get size(): number {
    return this.#places.length;
  }

  /**
   * Adds an item. Returns a function that removes the item and tells whether the item was still
   * there.
   */
  add(item: T): () => boolean {
    const place = { item, index: this.#places.length };
    this.#places.push(place);
    return () => this.#remove(place);
  }

  /** Returns a copy, so that items may be added and removed while the copy is read. */
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
