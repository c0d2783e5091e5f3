import type { Patience } from "../core/feed.ts";

/** The most streams of a user that catch up by reading from the database at the same time. */
const MOST_LAGGING = 20;

interface Places {
  taken: number;
  /** Hands a place over to a stream that waits, in the order of arrival. */
  waiting: Set<() => void>;
}

const users = new Map<string, Places>();

/** A stream's place among those of its user that lag behind. The others wait until one is free. */
export class Place implements Disposable {
  readonly #user: string;
  #held: Places | null = null;

  constructor(user: string) {
    this.#user = user;
  }

  /** Returns false if the time is over, or the caller has gone, before a place is free. */
  async take({ seconds, signal }: Patience): Promise<boolean> {
    if (this.#held) return true;
    const places = users.get(this.#user) ?? { taken: 0, waiting: new Set() };
    users.set(this.#user, places);
    if (places.taken < MOST_LAGGING) places.taken++;
    else if (!await handedOver(places, { seconds, signal })) return false;
    this.#held = places;
    return true;
  }

  leave(): void {
    const places = this.#held;
    if (!places) return;
    this.#held = null;
    const [next] = places.waiting;
    if (next) next();
    else if (--places.taken === 0) users.delete(this.#user);
  }

  [Symbol.dispose](): void {
    this.leave();
  }
}

async function handedOver({ waiting }: Places, { seconds, signal }: Patience): Promise<boolean> {
  if (signal.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const end = (isHandedOver: boolean) => {
    if (waiting.delete(take)) resolve(isHandedOver);
  };
  const take = () => end(true);
  const giveUp = () => end(false);
  waiting.add(take);
  const timer = setTimeout(giveUp, seconds * 1000);
  signal.addEventListener("abort", giveUp);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
