import { setTimeout as pause } from "node:timers/promises";
import { ErrorBody } from "../../src/core/errors.ts";

interface Answer {
  status: number;
  body: unknown;
}

const TRIES = 5;

/**
 * The service's REST API for one person or key. A call that a busy service could not accept is
 * tried again.
 */
export class Rest {
  readonly #base: string;
  readonly #token: () => Promise<string | null>;
  readonly #fetch: typeof fetch;

  constructor(baseUrl: string, token: () => Promise<string | null>, fetch = globalThis.fetch) {
    this.#base = `${baseUrl.replace(/\/+$/, "")}/api`;
    this.#token = token;
    this.#fetch = fetch;
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    for (let tries = 1;; tries++) {
      try {
        const answer = await this.#send(method, path, body);
        if (answer.status < 500 || tries === TRIES) return answer;
      } catch (error) {
        // fetch throws a TypeError if no answer came. The idempotency key makes a second call safe
        // in any case.
        if (!(error instanceof TypeError) || tries === TRIES) throw error;
      }
      await pause(250 * 2 ** tries);
    }
  }

  async #send(method: string, path: string, body?: unknown): Promise<Answer> {
    const token = await this.#token();
    const response = await this.#fetch(`${this.#base}${path}`, {
      method,
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }
}

/** Returns the reason for a failed call in the service's own words. */
export function reasonOf({ status, body }: Answer): string {
  const told = ErrorBody.safeParse(body).data;
  if (!told) return `HTTP ${status}`;
  const fields = Object.entries(told.fieldErrors ?? {}).map(([path, message]) => `${path}: ${message}`);
  return fields.length > 0 ? fields.join("; ") : told.error;
}
