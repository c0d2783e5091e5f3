export interface Call {
  token?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
  /** A body that is sent as it is, instead of `body`. */
  raw?: Uint8Array<ArrayBuffer> | string | undefined;
  signal?: AbortSignal;
}

export interface Answer<T> {
  status: number;
  ok: boolean;
  headers: Headers;
  text: string;
  body: T;
  /** Milliseconds until the whole answer was read. */
  ms: number;
}

/** Sends one request and reads the whole answer. */
export async function send<T>(
  method: string,
  url: string,
  { token, headers, body, raw, signal }: Call = {},
): Promise<Answer<T>> {
  const started = performance.now();
  const response = await fetch(url, {
    method,
    headers: {
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: raw ?? (body === undefined ? null : JSON.stringify(body)),
    signal: signal ?? null,
  });
  const text = await response.text();
  const { status, ok } = response;
  const ms = performance.now() - started;
  return { status, ok, headers: response.headers, text, body: text ? JSON.parse(text) : undefined, ms };
}

/**
 * Makes a call and returns the body of its answer.
 * @throws {Error} if the answer is no success
 */
export async function ask<T>(method: string, url: string, call: Call = {}): Promise<T> {
  const { ok, status, text, body } = await send<T>(method, url, call);
  if (!ok) throw new Error(`${method} ${url}: ${status} ${text}`);
  return body;
}

/** Reads every page of a list of tickets. */
export async function everyTicket<Ticket>(
  read: (query: string) => Promise<{ tickets: Ticket[]; next_cursor: string | null }>,
): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await read(`?limit=200${cursor && `&cursor=${cursor}`}`);
    tickets.push(...page.tickets);
    cursor = page.next_cursor;
  }
  return tickets;
}
