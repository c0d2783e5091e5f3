import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { AnswerRoom, PAGE_BYTES } from "../core/answer_room.ts";
import { authenticate, refreshCookie, refuseCrossSite, sessionCookie } from "../core/auth.ts";
import { type Actor, atOnce, authorOf, type RequestContext, type Services } from "../core/context.ts";
import type { Author } from "../core/schema.ts";
import { cookiesOf } from "./cookies.ts";

/** The facts that Hono keeps of a request beyond the request itself. */
export interface HttpEnv {
  Bindings: {
    remoteAddress?: string;
    /**
     * Promises to settle when the client has the answer or is gone. It must be asked before the
     * answer is given.
     */
    delivered?: () => Promise<void>;
  };
  Variables: {
    requestId: string;
    procedure?: string;
    actor?: Actor | null;
    /** The code of the failure. When several calls failed, it is the code of the first. */
    code?: string;
    /**
     * The status of a call that the service itself failed at, in a batch that is answered as a
     * mixture.
     */
    fault?: number;
  };
}

/** The facts that the server knows of a connection. */
export function bindingsOf(info: Deno.ServeHandlerInfo): HttpEnv["Bindings"] {
  const { remoteAddr } = info;
  return {
    ...("hostname" in remoteAddr && { remoteAddress: remoteAddr.hostname }),
    delivered: () => info.completed.catch(() => {}),
  };
}

/** Names a request for the log and the metrics, whether it succeeds or fails. */
export function named(procedure: string): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    c.set("procedure", procedure);
    await next();
  };
}

const NOBODY: Author = { kind: "user", id: "anonymous" };

/**
 * Turns a request into the context of the calls that it makes. A refused credential is kept for the
 * place where it matters.
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
    // It is still the same call, so it counts for none.
    identify: () => identify(0),
    // The signal is not made for every request, because making it costs more than many a call.
    signal: waits ? AbortSignal.any([services.signal, raw.signal]) : services.signal,
    pageBytes: Math.floor(PAGE_BYTES / calls),
    room: new AnswerRoom(calls),
  };
}

/**
 * Reads a field's bytes as UTF-8, as a body would say it. A field that is not UTF-8 stays as it
 * came.
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
 * Answers the client's address. With a proxy in front, the last hop of X-Forwarded-For is the one
 * that the proxy itself wrote, and some proxies add the port.
 */
export function clientAddress(c: HonoContext<HttpEnv>, trustProxy: boolean): string {
  const hop = trustProxy ? c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return hop?.replace(/^\[(.+)\](:\d+)?$|^([\d.]+):\d+$/, "$1$3") || c.env?.remoteAddress || "unknown";
}
