/** Lets the lanes take turns, so that a lane with many waiting items holds up only itself. */
export class Turns<Item> {
  /** Lanes in the order of their turns. None is empty. */
  readonly #lanes = new Map<string, Item[]>();
  readonly #laneOf = new Map<Item, string>();

  get length(): number {
    return this.#laneOf.size;
  }

  /** Every waiting item, in no special order. */
  all(): Item[] {
    return [...this.#laneOf.keys()];
  }

  push(lane: string, item: Item): void {
    this.#laneOf.set(item, lane);
    const waiting = this.#lanes.get(lane);
    if (waiting) waiting.push(item);
    else this.#lanes.set(lane, [item]);
  }

  /** Gives the next turn to an item that has already had a turn. */
  putBack(lane: string, item: Item): void {
    this.#laneOf.set(item, lane);
    const own = [item, ...this.#lanes.get(lane) ?? []];
    const others = [...this.#lanes].filter(([name]) => name !== lane);
    this.#lanes.clear();
    for (const [name, items] of [[lane, own] as const, ...others]) this.#lanes.set(name, items);
  }

  /** The item whose turn it is. */
  first(): Item | undefined {
    return this.#lanes.values().next().value?.[0];
  }

  /**
   * Takes the item whose turn it is. The next turn of the item's lane comes after the turns of all
   * other lanes.
   */
  take(): Item | undefined {
    const item = this.first();
    if (item === undefined) return undefined;
    const lane = this.#laneOf.get(item)!;
    this.remove(item);
    const rest = this.#lanes.get(lane);
    if (rest) {
      this.#lanes.delete(lane);
      this.#lanes.set(lane, rest);
    }
    return item;
  }

  remove(item: Item): void {
    const lane = this.#laneOf.get(item);
    if (lane === undefined) return;
    this.#laneOf.delete(item);
    const rest = this.#lanes.get(lane)!.filter((other) => other !== item);
    if (rest.length > 0) this.#lanes.set(lane, rest);
    else this.#lanes.delete(lane);
  }

  /** The most items that will have their turn before a new item of the lane. */
  ahead(lane: string): number {
    const own = this.#lanes.get(lane)?.length ?? 0;
    const others = [...this.#lanes].filter(([name]) => name !== lane);
    return own + others.reduce((sum, [, items]) => sum + Math.min(items.length, own + 1), 0);
  }

  /** The last item of the longest lane, if that lane is longer than `lane` with one more item. */
  mostPatient(lane: string): Item | undefined {
    const own = this.#lanes.get(lane)?.length ?? 0;
    const longest = [...this.#lanes.values()].reduce<Item[]>((a, b) => b.length > a.length ? b : a, []);
    return longest.length > own + 1 ? longest.at(-1) : undefined;
  }
}
