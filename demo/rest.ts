import { ErrorBody } from "../src/core/errors.ts";
import { TokenPair } from "../src/sessions/schema.ts";

export interface Answer {
  status: number;
  body: unknown;
}

const TRIES = 5;

/** The service's REST API for one signed-in person. A call that a busy service could not take is tried again. */
export class Rest {
  readonly #base: string;
  readonly #person: { email: string; password: string };
  readonly #fetch: typeof fetch;
  #signingIn: Promise<string> | undefined;

  constructor(base: string, person: { email: string; password: string }, fetch = globalThis.fetch) {
    this.#base = `${base.replace(/\/+$/, "")}/api`;
    this.#person = person;
    this.#fetch = fetch;
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    for (let tries = 1;; tries++) {
      const token = await (this.#signingIn ??= this.#signIn());
      const answer = await this.#send(method, path, { body, token }).catch((error: unknown) => {
        if (tries >= TRIES || !(error instanceof TypeError)) throw error;
        return null;
      });
      if (answer && isExpired(answer) && tries < TRIES) this.#signingIn = undefined;
      else if (answer && (answer.status < 500 || tries >= TRIES)) return answer;
      else await new Promise((done) => setTimeout(done, 250 * 2 ** tries));
    }
  }

  async #signIn(): Promise<string> {
    const { status, body } = await this.#send("POST", "/auth/login", { body: this.#person });
    if (status !== 200) {
      throw new Error(`Cannot sign in as ${this.#person.email}: ${reasonOf({ status, body })}`);
    }
    return TokenPair.parse(body).access_token;
  }

  async #send(
    method: string,
    path: string,
    { body, token }: { body?: unknown; token?: string },
  ): Promise<Answer> {
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

function isExpired({ status, body }: Answer): boolean {
  return status === 401 && ErrorBody.safeParse(body).data?.code === "token_expired";
}

/** Why a call failed, in the service's own words. */
export function reasonOf({ status, body }: Answer): string {
  const told = ErrorBody.safeParse(body).data;
  if (!told) return `HTTP ${status}`;
  const fields = Object.entries(told.fieldErrors ?? {}).map(([path, message]) => `${path}: ${message}`);
  return fields.length > 0 ? fields.join("; ") : told.error;
}
