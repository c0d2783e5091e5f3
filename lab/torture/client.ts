import { setTimeout as pause } from "node:timers/promises";
import { type Call, send } from "../client.ts";
import type { Ledger } from "./ledger.ts";
import type { Caller } from "./service.ts";

interface Request extends Pick<Call, "headers" | "body" | "raw"> {
  method: string;
  /** The path below /api. */
  path: string;
  /** Sends the request without the caller's credential. */
  anonymous?: true;
}

/** One request as its client saw it. */
export interface Attempt {
  /** Milliseconds since the load began. */
  at: number;
  ms: number;
  /** HTTP status; 0 without an answer. */
  status: number;
  reason: string;
}

/** This is longer than the service's own deadline, so a call that takes longer hangs. */
const PATIENCE_MS = 45_000;
const PAUSE_MS = 50;
/** Statuses after which another try can succeed. */
const PASSING: ReadonlySet<number> = new Set([0, 408, 429, 500, 502, 503]);

/** The load that a client is a part of. */
interface Whole {
  readonly stopped: boolean;
  /** The value of `performance.now()` when the load began. */
  readonly started: number;
  readonly attempts: Attempt[];
}

/** Makes one write after the other and enters each into the ledger. */
export class Client {
  readonly caller: Caller;
  readonly #load: Whole;
  readonly #ledger: Ledger;

  constructor(load: Whole, ledger: Ledger, caller: Caller) {
    this.#load = load;
    this.#ledger = ledger;
    this.caller = caller;
  }

  /**
   * Makes a write that may not be repeated, so that it is in doubt without an answer. Returns null
   * unless it was acknowledged.
   */
  async once<T>(kind: string, key: string, request: Request): Promise<T | null> {
    return await this.#write<T>(kind, key, request, 1);
  }

  /** Repeats a write until there is an answer or the load ends. */
  async repeat<T>(kind: string, key: string, request: Request): Promise<T | null> {
    return await this.#write<T>(kind, key, request, Infinity);
  }

  async #write<T>(kind: string, key: string, request: Request, tries: number): Promise<T | null> {
    if (this.#load.stopped) return null;
    const entry = this.#ledger.enter(kind, key);
    for (let n = 0; n < tries && (n === 0 || !this.#load.stopped); n++) {
      const { status, body, reason } = await this.#send(request);
      if (status >= 200 && status < 300) {
        entry.state = "acknowledged";
        return body as T;
      }
      entry.state = PASSING.has(status) ? "unknown" : "refused";
      entry.reason = reason;
      if (entry.state === "refused") return null;
      await pause(PAUSE_MS);
    }
    return null;
  }

  async #send({ method, path, anonymous, ...call }: Request) {
    const { url, token } = this.caller;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const at = performance.now();
    const result = await send(method, `${url}/api${path}`, {
      ...call,
      token: anonymous ? null : token,
      signal,
    })
      .then(({ ok, status, text, body }) => ({ status, body, reason: ok ? "" : `${status} ${text}` }))
      .catch((error: unknown) => ({ status: 0, body: undefined, reason: String(error) }));
    const { status, reason } = result;
    this.#load.attempts.push({ at: at - this.#load.started, ms: performance.now() - at, status, reason });
    return result;
  }
}
