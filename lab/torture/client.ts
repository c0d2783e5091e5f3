import { setTimeout as pause } from "node:timers/promises";
import type { Ledger } from "./ledger.ts";
import type { Caller } from "./service.ts";

interface Request {
  method: string;
  /** The path below /api. */
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  raw?: Uint8Array<ArrayBuffer>;
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

/** Longer than the service's own deadline, so that a call which takes longer hangs. */
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

  async #send(request: Request): Promise<{ status: number; body?: unknown; reason: string }> {
    const at = performance.now();
    const result = await send(this.caller, request);
    const { status, reason } = result;
    this.#load.attempts.push({ at: at - this.#load.started, ms: performance.now() - at, status, reason });
    return result;
  }
}

async function send(
  caller: Caller,
  request: Request,
): Promise<{ status: number; body?: unknown; reason: string }> {
  const { method, path, headers = {}, body, raw, anonymous } = request;
  try {
    const response = await fetch(`${caller.url}/api${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(!anonymous && { authorization: `Bearer ${caller.token}` }),
        ...headers,
      },
      body: raw ?? JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    const { status } = response;
    return {
      status,
      body: text ? JSON.parse(text) : undefined,
      reason: status < 300 ? "" : `${status} ${text}`,
    };
  } catch (error) {
    return { status: 0, reason: String(error) };
  }
}
