import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  type Operation,
  retryLink,
  splitLink,
  type TRPCClient,
  TRPCClientError,
} from "@trpc/client";
import superjson from "superjson";
import type { AppRouter, ErrorBody, Event, Resync } from "./client_types.ts";

/**
 * The credentials that a signed-in portal keeps. They are plain JSON, so that a browser's storage
 * can hold them.
 */
export interface Credentials {
  access_token: string;
  refresh_token: string;
  /** Epoch milliseconds by the clock of this machine. */
  expires_at: number;
}

/**
 * Stores the credentials. The client reads them before every request, so that tabs may share one
 * store.
 */
export interface CredentialStore {
  read(): Credentials | null | Promise<Credentials | null>;
  write(credentials: Credentials | null): void | Promise<void>;
}

export interface HandoffClientOptions {
  /** The service's address, such as https://handoff.example; the client adds `/trpc`. */
  baseUrl: string;
  /**
   * An API key, or the store of a person's session, or `cookies` in a page of the service's own
   * origin, so that no script can reach a token. If absent, a session is stored in memory.
   */
  credentials?: { apiKey: string } | CredentialStore | "cookies";
  fetch?: typeof globalThis.fetch;
  /**
   * Called with the reason if the service has ended the session and only a new sign-in can help.
   */
  onSignedOut?: (reason: ErrorBody) => void;
}

export interface HandoffClient {
  /**
   * The service's procedures: `client.api.tickets.create.mutate(…)`. With `{ context: { ifMatch:
   * ticket.version } }` after the input, a change is made only to that version of the ticket. For
   * any other version it is refused as `version_conflict`.
   */
  api: TRPCClient<AppRouter>;
  signIn(input: { email: string; password: string }): Promise<void>;
  /** Forgets the credentials and ends the session. Throws if the service could not be reached. */
  signOut(): Promise<void>;
  /**
   * Returns the Bearer credential for the REST API, and refreshes it first if it is about to end.
   * Returns null without a session, and also with `cookies`, because the browser sends those
   * itself.
   */
  accessToken(): Promise<string | null>;
  /**
   * Yields events as they happen: `for await (const event of client.events()) …`. The iteration
   * survives lost connections and restarts of the service without losing an event. An item of type
   * `resync` means that some events are no longer stored, so the caller must read everything again.
   * To go on later, save `event.seq` and send it as `after`. Without `after`, the events from now
   * on are yielded.
   * @throws the service's refusal, such as the refusal of a credential that has ended
   */
  events(options?: FollowOptions): AsyncGenerator<Event | Resync>;
}

export interface FollowOptions {
  after?: number;
  project_id?: string;
  /** Patterns such as `["ticket.closed", "task.*"]`. */
  types?: string[];
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/**
 * The milliseconds before its end at which an access token is replaced, so that no call has to fail
 * first.
 */
const REFRESH_BEFORE_MS = 30_000;
const MAX_BATCH = 20;
/**
 * The bytes from which an input is sent in a request of its own. Twenty shorter inputs fit into the
 * 1 MiB that a request may have.
 */
const LONG_INPUT = 50_000;
/**
 * This procedure accepts only the session cookie, and a Bearer credential would win over the
 * cookie.
 */
const COOKIE_ONLY = "integrations.setUpHooks";
/**
 * The failures of a refresh after which only a new sign-in can help. After any other failure the
 * session may still be valid.
 */
const SESSION_ENDED: ReadonlySet<string | undefined> = new Set([
  "token_reused",
  "token_expired",
  "unauthenticated",
]);

/**
 * Creates a typed client for TypeScript portals and tools. Calls that are made in one tick share a
 * request, except for long ones.
 */
export function createHandoffClient(options: HandoffClientOptions): HandoffClient {
  const { fetch = globalThis.fetch } = options;
  const transport = {
    url: `${options.baseUrl.replace(/\/+$/, "")}/trpc`,
    transformer: superjson,
    // POST is used, because an input such as a description is too long for a URL, and because URLs
    // appear in logs.
    methodOverride: "POST" as const,
  };
  const { credentials } = options;
  const apiKey = typeof credentials === "object" && "apiKey" in credentials ? credentials.apiKey : null;
  const store = typeof credentials === "object" && "read" in credentials ? credentials : storeInMemory();
  // The session cookie is set, renewed and sent, too.
  const withCookie = (input: URL | RequestInfo, init?: object) =>
    fetch(input, { ...init, credentials: "include" });
  // A sign-out that didn't reach the service may have left a cookie, so without a session no cookie
  // is sent.
  const asSignedIn = async (input: URL | RequestInfo, init?: object) =>
    credentials === "cookies" || await store.read()
      ? await withCookie(input, init)
      : await fetch(input, { ...init, credentials: "omit" });
  const open = createTRPCClient<AppRouter>({
    links: [httpLink({ ...transport, fetch: withCookie, headers: ({ op }) => bearer(op.context["token"]) })],
  });
  const session = credentials === "cookies"
    ? new CookieSession(options.baseUrl.replace(/\/+$/, ""), open, options)
    : new Session(store, open, options.onSignedOut);
  const accessToken = async () => apiKey ?? await session.accessToken();
  const credential = async (...calls: Operation[]) => {
    if (apiKey !== null) return bearer(apiKey);
    const token = await session.accessToken();
    // The token is remembered, so that a refusal counts against this token and not against a newer
    // one.
    for (const { context } of calls) context["token"] = token ?? session.mark;
    return calls[0]?.path === COOKIE_ONLY ? {} : bearer(token);
  };
  const api = createTRPCClient<AppRouter>({
    links: [
      retryLink({
        retry: ({ op, error, attempts }) =>
          attempts === 1 && isRefused(error) && session.refuse(op.context["token"]),
      }),
      splitLink({
        condition: ({ path, context, input }) =>
          path === COOKIE_ONLY || context["ifMatch"] !== undefined || isWaiting(input) || isLong(input),
        true: httpLink({
          ...transport,
          fetch: asSignedIn,
          headers: async ({ op }) => ({ ...await credential(op), ...ifMatch(op.context["ifMatch"]) }),
        }),
        false: httpBatchLink({
          ...transport,
          fetch: asSignedIn,
          maxItems: MAX_BATCH,
          headers: ({ opList }) => credential(...opList),
        }),
      }),
    ],
  });
  return {
    api,
    signIn: (input) => session.signIn(input),
    signOut: () => session.signOut(),
    accessToken,
    events: (options) => followEvents(api, options),
  };
}

/** The seconds that a call waits for an event. It is also the longest pause after failed calls. */
const WAIT_S = 50;
const LONGEST_PAUSE_MS = 15_000;

async function* followEvents(
  api: TRPCClient<AppRouter>,
  { after, signal, ...filter }: FollowOptions = {},
): AsyncGenerator<Event | Resync> {
  let failures = 0;
  while (!signal?.aborted) {
    try {
      // The first call returns at once if it only asks for the present position.
      const place = after === undefined ? { wait: 0 } : { wait: WAIT_S, after };
      const page = await api.events.list.query({ ...filter, ...place }, signal && { signal });
      failures = 0;
      after = page.next_after;
      if (page.resync) yield { type: "resync", seq: page.next_after };
      yield* page.events;
    } catch (error) {
      if (signal?.aborted) return;
      if (!mayRetry(error)) throw error;
      await pause(Math.min(500 * 2 ** failures++, LONGEST_PAUSE_MS), signal);
    }
  }
}

/**
 * Tells whether another try may succeed, such as after a network failure, a restart or a rate
 * limit.
 */
function mayRetry(error: unknown): boolean {
  const status = (error as { data?: { httpStatus?: number } | null }).data?.httpStatus;
  return status === undefined || status >= 500 || status === 429 || status === 408;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** Keeps the credentials in memory, until the page or process ends. */
export function storeInMemory(initial: Credentials | null = null): CredentialStore {
  let kept = initial;
  return {
    read: () => kept,
    write(credentials) {
      kept = credentials;
    },
  };
}

/**
 * Returns the service's own sentence about a failed call, or null if the service did not cause the
 * failure, as with a network failure.
 */
export function errorBody(error: unknown): ErrorBody | null {
  // The error is not recognised by its class, because a portal that creates its own tRPC client has
  // the class from its own packages.
  const body = error instanceof Error ? (error as { data?: { body?: unknown } | null }).data?.body : null;
  return isErrorBody(body) ? body : null;
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === "object" && value !== null && "error" in value && typeof value.error === "string";
}

function bearer(token: unknown): Record<string, string> {
  return typeof token === "string" ? { authorization: `Bearer ${token}` } : {};
}

/** Writes a version as an entity tag. */
function ifMatch(version: unknown): Record<string, string> {
  return version === undefined ? {} : { "if-match": `"${version}"` };
}

/**
 * Tells whether the call waits for an event. Such a call would delay the other answers of a batch.
 */
function isWaiting(input: unknown): boolean {
  return typeof input === "object" && input !== null && "wait" in input && input.wait !== 0;
}

function isLong(input: unknown): boolean {
  return new TextEncoder().encode(superjson.stringify(input)).length > LONG_INPUT;
}

function isRefused(error: unknown): boolean {
  const code = errorBody(error)?.code;
  return code === "token_expired" || code === "unauthenticated";
}

class Session {
  /** Stands for a token that scripts can't read. */
  readonly mark = null;
  readonly #store: CredentialStore;
  readonly #open: TRPCClient<AppRouter>;
  readonly #onSignedOut: ((reason: ErrorBody) => void) | undefined;
  #refreshing: Promise<string | null> | undefined;
  /** The access token that the service no longer accepts. */
  #refused: string | undefined;

  constructor(
    store: CredentialStore,
    open: TRPCClient<AppRouter>,
    onSignedOut?: (reason: ErrorBody) => void,
  ) {
    this.#store = store;
    this.#open = open;
    this.#onSignedOut = onSignedOut;
  }

  /**
   * Returns a token that the service should still accept. All callers wait for a refresh that is
   * running, and get its token.
   */
  async accessToken(): Promise<string | null> {
    const credentials = await this.#store.read();
    if (!credentials) return null;
    if (this.#isTaken(credentials, REFRESH_BEFORE_MS)) return credentials.access_token;
    this.#refreshing ??= this.#refresh(credentials).finally(() => this.#refreshing = undefined);
    return await this.#refreshing;
  }

  /** Notes that a call with this token was refused, and tells whether another try can succeed. */
  refuse(token: unknown): boolean {
    if (typeof token !== "string") return false;
    this.#refused = token;
    return true;
  }

  async signIn(input: { email: string; password: string }): Promise<void> {
    await this.#store.write(toCredentials(await this.#open.auth.login.mutate(input)));
  }

  async signOut(): Promise<void> {
    const credentials = await this.#store.read();
    await this.#store.write(null);
    if (!credentials) return;
    const { access_token, refresh_token } = credentials;
    try {
      await this.#logout(access_token).catch(async (error: unknown) => {
        // The token has expired or was signed with a secret that has been replaced. The session may
        // still be valid.
        if (!isRefused(error)) throw error;
        await this.#logout((await this.#open.auth.refresh.mutate({ refresh_token })).access_token);
      });
    } catch (error) {
      // The sign-out has nothing to do when the session has ended already.
      if (!SESSION_ENDED.has(errorBody(error)?.code)) throw error;
    }
  }

  async #logout(token: string): Promise<void> {
    await this.#open.auth.logout.mutate({}, { context: { token } });
  }

  async #refresh(used: Credentials): Promise<string | null> {
    try {
      const pair = toCredentials(await this.#open.auth.refresh.mutate({ refresh_token: used.refresh_token }));
      if (!await this.#isCurrent(used)) return await this.#currentToken();
      await this.#store.write(pair);
      return pair.access_token;
    } catch (error) {
      if (!await this.#isCurrent(used)) return await this.#currentToken();
      const reason = errorBody(error);
      if (reason && SESSION_ENDED.has(reason.code)) {
        await this.#store.write(null);
        this.#onSignedOut?.(reason);
      } else if (this.#isTaken(used, 0)) return used.access_token;
      throw error;
    }
  }

  /**
   * During a refresh, somebody may have signed out or signed in as another user, or another tab may
   * have refreshed.
   */
  async #isCurrent(used: Credentials): Promise<boolean> {
    return (await this.#store.read())?.refresh_token === used.refresh_token;
  }

  async #currentToken(): Promise<string | null> {
    return (await this.#store.read())?.access_token ?? null;
  }

  #isTaken(credentials: Credentials, marginMs: number): boolean {
    return credentials.access_token !== this.#refused && credentials.expires_at - marginMs > Date.now();
  }
}

/**
 * The session of a page whose tokens are in cookies. A refused call shows that they must be
 * renewed.
 */
class CookieSession {
  /**
   * The number of renewals of the cookies. A call that began before the last renewal may now
   * succeed.
   */
  mark = 0;
  readonly #url: string;
  readonly #open: TRPCClient<AppRouter>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #onSignedOut: ((reason: ErrorBody) => void) | undefined;
  #isStale = false;
  #renewing: Promise<void> | undefined;

  constructor(baseUrl: string, open: TRPCClient<AppRouter>, options: HandoffClientOptions) {
    this.#url = `${baseUrl}/api/auth/session`;
    this.#open = open;
    this.#fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
    this.#onSignedOut = options.onSignedOut;
  }

  async accessToken(): Promise<null> {
    if (this.#isStale) await (this.#renewing ??= this.#renew().finally(() => this.#renewing = undefined));
    return null;
  }

  refuse(mark: unknown): boolean {
    if (mark === this.mark) this.#isStale = true;
    return true;
  }

  async signIn(input: { email: string; password: string }): Promise<void> {
    await this.#open.auth.startSession.mutate(input);
    this.#isFresh();
  }

  async signOut(): Promise<void> {
    try {
      await this.#open.auth.logout.mutate({}).catch(async (error: unknown) => {
        if (!isRefused(error)) throw error;
        await this.#ask();
        await this.#open.auth.logout.mutate({});
      });
    } catch (error) {
      // The sign-out has nothing to do when the session has ended already.
      if (!SESSION_ENDED.has(errorBody(error)?.code)) throw error;
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.#ask();
      this.#isFresh();
    } catch (error) {
      const reason = errorBody(error);
      if (reason && SESSION_ENDED.has(reason.code)) this.#onSignedOut?.(reason);
      throw error;
    }
  }

  #isFresh(): void {
    this.mark++;
    this.#isStale = false;
  }

  async #ask(): Promise<void> {
    const answer = await this.#fetch(`${this.#url}/renew`, { method: "POST", credentials: "include" });
    if (answer.ok) return;
    const body: unknown = await answer.json().catch(() => null);
    const message = "The session could not be renewed";
    throw TRPCClientError.from({ error: { message, code: -32001, data: { body } } } as never);
  }
}

function toCredentials(
  pair: { access_token: string; refresh_token: string; expires_in: number },
): Credentials {
  const { access_token, refresh_token, expires_in } = pair;
  return { access_token, refresh_token, expires_at: Date.now() + expires_in * 1000 };
}
