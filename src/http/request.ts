import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { AnswerBudget, PAGE_BYTES } from "../core/answer_budget.ts";
import { authenticate, refreshCookie, refuseCrossSite, sessionCookie } from "../core/auth.ts";
import { type Actor, atOnce, authorOf, type RequestContext, type Services } from "../core/context.ts";
import type { Author } from "../core/schema.ts";
import { cookiesOf } from "./cookies.ts";

/** The facts about a request that are kept in Hono's context. */
export interface HttpEnv {
  Bindings: {
    remoteAddress?: string;
    /**
     * Returns a promise that settles when the client has the answer or has left. Call it before the
     * answer is returned.
     */
    delivered?: () => Promise<void>;
  };
  Variables: {
    requestId: string;
    procedure?: string;
    actor?: Actor | null;
    /** The code of the failure. If several calls failed, it is the code of the first one. */
    code?: string;
    /**
     * The status of a call at which the service itself failed, in a batch with several statuses.
     */
    fault?: number;
  };
}

/** The facts that the server knows about a connection. */
export function bindingsOf(info: Deno.ServeHandlerInfo): HttpEnv["Bindings"] {
  const { remoteAddr } = info;
  return {
    ...("hostname" in remoteAddr && { remoteAddress: remoteAddr.hostname }),
    delivered: () => info.completed.catch(() => {}),
  };
}

/** Gives a request its name in the log and the metrics, for success and for failure. */
export function named(procedure: string): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    c.set("procedure", procedure);
    await next();
  };
}

const NOBODY: Author = { kind: "user", id: "anonymous" };

/**
 * Turns a request into the context of its calls. The refusal of a credential is kept, and thrown
 * where a credential is needed.
 */
export async function requestContext(
  c: HonoContext<HttpEnv>,
  services: Services,
  { calls = 1, waits = false }: { calls?: number; waits?: boolean | undefined } = {},
): Promise<RequestContext> {
  const { raw } = c.req;
  const { PUBLIC_URL, TRUST_PROXY } = services.config;
  const sent = raw.headers.get("cookie");
  const cookies = cookiesOf(sessionCookie(PUBLIC_URL), sent);
  const address = clientAddress(c, TRUST_PROXY);
  const answer = new Headers();
  let actor: Actor | null = null;
  let refused: Error | null = null;
  const identify = (calls: number) =>
    authenticate(services, { method: raw.method, headers: raw.headers, cookies, address, calls, answer });
  try {
    actor = await identify(calls);
  } catch (error) {
    refused = error instanceof Error ? error : new Error(String(error));
  }
  c.set("actor", actor);
  return {
    ...services,
    db: services.sql,
    afterCommit: atOnce,
    author: actor ? authorOf(actor) : NOBODY,
    requestId: c.get("requestId"),
    actor,
    refused,
    address,
    userAgent: raw.headers.get("user-agent")?.slice(0, 400) ?? null,
    ifMatch: raw.headers.get("if-match"),
    idempotencyKey: decoded(raw.headers.get("idempotency-key")),
    hasCookie: cookies.length > 0,
    refreshCookies: cookiesOf(refreshCookie(PUBLIC_URL), sent).filter((value) => value !== ""),
    refuseCrossSite: () => refuseCrossSite(services, raw.method, raw.headers),
    headers: answer,
    // This is still the same call, so it is not counted against the rate limit again.
    identify: () => identify(0),
    // The signal is created only on demand, because creating one costs more than many calls do.
    signal: waits ? AbortSignal.any([services.signal, raw.signal]) : services.signal,
    pageBytes: Math.floor(PAGE_BYTES / calls),
    answerBudget: new AnswerBudget(calls),
    eachInTurn: false,
  };
}

/**
 * Decodes the bytes of a header field as UTF-8, like the text of a body. A field that is not UTF-8
 * stays as it is.
 */
export function decoded(field: string | null): string | null {
  if (field === null || /^[\x20-\x7e]*$/.test(field)) return field;
  try {
    const bytes = Uint8Array.from(field, (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return field;
  }
}

/**
 * Returns the client's address. With a proxy in front, the last hop of X-Forwarded-For is the one
 * that the proxy itself wrote, and some proxies add the port.
 */
export function clientAddress(c: HonoContext<HttpEnv>, trustProxy: boolean): string {
  const hop = trustProxy ? c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return hop?.replace(/^\[(.+)\](:\d+)?$|^([\d.]+):\d+$/, "$1$3") || c.env?.remoteAddress || "unknown";
}
