import dns from "node:dns";
import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { checkAddresses, checkUrl, notPublic, RefusedAddress } from "./address.ts";

export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The result of a request. A redirect counts as an answer and isn't followed. */
export type Sent =
  | { status: number; text: string; retryAfter: number | null }
  /**
   * `refused` means that nothing may be sent to the address, `unreachable` that there was no
   * connection or no answer in time, and `unsent` that the service itself couldn't send.
   */
  | { failure: "refused" | "unreachable" | "unsent"; message: string };

/** The time from the look-up of the name to the end of the answer's header fields. */
const DEADLINE_MS = 15_000;
/** The bytes of an answer that are kept. */
const ANSWER_BYTES = 1024;
/** How long the text of an answer may take once its status is there. */
const TEXT_MS = 1_000;

/**
 * Sends one POST. The connection goes to an address that was checked just before. A name that was
 * looked up once for the check and again for the connection could give another answer.
 */
export async function post(outgoing: Outgoing, allowedHosts: readonly string[]): Promise<Sent> {
  try {
    const url = checkUrl(outgoing.url, allowedHosts);
    return await send(url, outgoing, allowedHosts.includes(url.hostname));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { failure: error instanceof RefusedAddress ? "refused" : "unreachable", message };
  }
}

async function send(url: URL, { headers, body }: Outgoing, isAllowed: boolean): Promise<Sent> {
  const { promise, resolve: answer, reject } = Promise.withResolvers<Sent>();
  const request = (url.protocol === "https:" ? overHttps : overHttp)(
    url,
    {
      method: "POST",
      // A connection of an earlier request is never used again, because that would skip the
      // look-up.
      agent: false,
      lookup: isAllowed ? undefined : checkedLookup,
      headers: {
        ...headers,
        "content-length": String(new TextEncoder().encode(body).length),
        connection: "close",
      },
    } as Parameters<typeof overHttps>[1],
    (response: IncomingMessage) => {
      // A received status counts, even if the text would take longer.
      clearTimeout(timer);
      readAnswer(response).then(answer, reject);
    },
  );
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${DEADLINE_MS / 1000} s`)),
    DEADLINE_MS,
  );
  request.on("error", reject);
  request.end(body);
  return await promise.finally(() => {
    clearTimeout(timer);
    // Further data from the receiver is of no interest.
    request.destroy();
  });
}

const checkedLookup: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { all: true }, (error, found) => {
    if (error) return callback(notPublic(hostname), "", 0);
    try {
      checkAddresses(hostname, found.map(({ address }) => address));
    } catch (refusal) {
      return callback(refusal as Error, "", 0);
    }
    const [{ address, family }] = found as [{ address: string; family: number }];
    if ((options as { all?: boolean }).all) return callback(null, [{ address, family }] as never, family);
    callback(null, address, family);
  });
};

/** Reads the answer. The status tells the outcome, so nobody waits long for a slow text. */
async function readAnswer(response: IncomingMessage): Promise<Sent> {
  const { promise: read, resolve: end } = Promise.withResolvers<void>();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const timer = setTimeout(end, TEXT_MS);
  for (const event of ["end", "close", "error"]) response.on(event, () => end());
  response.on("data", (part: Uint8Array) => {
    parts.push(part);
    bytes += part.length;
    if (bytes >= ANSWER_BYTES) end();
  });
  if (response.headers["content-length"] === "0") end();
  await read.finally(() => clearTimeout(timer));
  const text = Buffer.concat(parts).subarray(0, ANSWER_BYTES).toString().replaceAll("\0", "").toWellFormed();
  return {
    status: response.statusCode ?? 0,
    text,
    retryAfter: secondsUntil(response.headers["retry-after"]),
  };
}

/** Returns the seconds of Retry-After, which is a number of seconds or a date. */
function secondsUntil(field: string | undefined): number | null {
  if (!field) return null;
  if (/^\d{1,9}$/.test(field.trim())) return Number(field);
  const date = Date.parse(field);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
