interface Slot<T> {
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
  readonly #slots: Slot<T>[] = [];

  get size(): number {
    return this.#slots.length;
  }

  /**
   * Adds an item. Returns a function that removes the item and tells whether the item was still
   * there.
   */
  add(item: T): () => boolean {
    const slot = { item, index: this.#slots.length };
    this.#slots.push(slot);
    return () => this.#remove(slot);
  }

  /** Returns a copy, so that items may be added and removed while the copy is read. */
  items(): T[] {
    return this.#slots.map(({ item }) => item);
  }

  #remove(slot: Slot<T>): boolean {
    if (slot.index < 0) return false;
    const last = this.#slots.pop()!;
    if (last !== slot) {
      this.#slots[slot.index] = last;
      last.index = slot.index;
    }
    slot.index = -1;
    return true;
  }
}
