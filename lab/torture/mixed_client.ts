import { type Answer as Received, type Call, send } from "../client.ts";
import { randomOf } from "../random.ts";
import { ERRORS } from "../../src/core/errors.ts";
import type { GitHubEvents } from "../simulators/github/events.ts";
import type { Sent } from "../simulators/senders/sent.ts";
import type { Ledger } from "./ledger.ts";
import type { Books } from "./scenario.ts";

/** The things that all clients share. There are few of each kind, so that clients meet at them. */
export interface World {
  urls: string[];
  /** The tokens of sessions and keys. Nobody ends the session of `root`. */
  tokens: string[];
  root: string;
  accountId: string;
  /**
   * Paths below /api: the project for the work, and the one that is archived, wired and imported
   * into.
   */
  project: string;
  other: string;
  /** Users that are deactivated and reactivated, and get roles and memberships. */
  users: { id: string; email: string; password: string }[];
  /** Two admins of another account, who take the role from each other. */
  rivals: { id: string; token: string }[];
  tickets: string[];
  /** Paths of tasks and other parts, which lie below the paths of their tickets. */
  tasks: string[];
  cases: string[];
  keys: string[];
  surveys: string[];
  agents: string[];
  /** Deliveries as they were sent, to be sent again. */
  sent: Sent[];
  imports: unknown[][];
  imported: number;
  /**
   * Versions that somebody changed with If-Match. If a version was changed twice, one of the
   * changes is lost.
   */
  followed: Set<string>;
  hosting: GitHubEvents;
  refreshToken: string;
}

export type Answer<T = Record<string, unknown>> = Received<T & { code?: string }>;

export interface Made {
  id: string;
}

/** The number of things of each kind that are remembered. Older ones are left alone. */
const KEPT = 5;

/**
 * A caller with random choices of its own, which depend on the seed. It enters answers into the
 * books.
 */
export class MixedClient {
  readonly world: World;
  readonly #books: Books;
  readonly #random: () => number;
  readonly #counts: Map<string, number>;
  readonly #name: string;
  #made = 0;

  constructor(world: World, books: Books, counts: Map<string, number>, seed: number, name: string) {
    this.world = world;
    this.#books = books;
    this.#counts = counts;
    this.#random = randomOf(seed);
    this.#name = name;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  number(below: number): number {
    return Math.floor(this.#random() * below);
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error("there is nothing to choose from yet");
    return from[this.number(from.length)]!;
  }

  keep<T>(list: T[], item: T): void {
    list.unshift(item);
    if (list.length > KEPT) list.pop();
  }

  /** Returns a unique name, by which a write is found. */
  token(): string {
    return `${this.#name}-${++this.#made}`;
  }

  /**
   * Enters a write into the ledger. It must be found once if it was acknowledged, at most once if
   * its outcome is unknown, and never otherwise.
   */
  enter(kind: string, key: string, { ok, status }: Answer<unknown>): void {
    if (!ok && status !== 0) return;
    const ledger: Ledger = this.#books.ledger;
    ledger.enter(kind, key).state = ok ? "acknowledged" : "unknown";
  }

  expect(holds: boolean, otherwise: string): void {
    this.#books.expect(holds, otherwise);
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    { token = this.pick([this.world.root, ...this.world.tokens]), ...options }: Call = {},
  ): Promise<Answer<T>> {
    const url = `${this.pick(this.world.urls)}/api${path}`;
    try {
      const signal = AbortSignal.timeout(45_000);
      const sent = await send<Answer<T>["body"]>(method, url, { ...options, token, signal });
      const answer = { ...sent, body: sent.body ?? {} as Answer<T>["body"] };
      this.#judge(`${method} ${path}`, answer);
      if (answer.status === 401 && token) this.#forget(token);
      return answer;
    } catch (error) {
      this.expect(false, `${method} ${path}: ${error}`);
      return { status: 0, ok: false, headers: new Headers(), text: "", body: {} as Answer<T>["body"], ms: 0 };
    }
  }

  #forget(token: string): void {
    const { tokens, root } = this.world;
    const at = tokens.indexOf(token);
    this.expect(token !== root, "nobody ended the first session");
    if (at >= 0) tokens.splice(at, 1);
  }

  #judge(what: string, { status, ok, body, text }: Answer<unknown>): void {
    const code = ok ? "" : ` ${body.code}`;
    this.#counts.set(`${status}${code}`, (this.#counts.get(`${status}${code}`) ?? 0) + 1);
    if (ok) return;
    const known = Object.entries(ERRORS).some(([name, error]) =>
      error.status === status && ("code" in error ? error.code : name) === body.code
    );
    this.expect(known && status < 500, `${what}: ${status} ${text.slice(0, 300)}`);
  }
}
