import type { MiddlewareHandler } from "hono";
import { logRequest } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import type { HttpEnv } from "./request.ts";

/**
 * Gives every answer a request id, and every request one log line and one measurement. Answers are
 * private unless they say otherwise.
 */
export function observe(metrics: Metrics): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    // Hono passes a request for the literal path `/*` through this middleware twice.
    if (c.get("requestId")) return await next();
    const started = performance.now();
    const given = c.req.header("x-request-id");
    const requestId = given && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID();
    c.set("requestId", requestId);
    await next();
    const { method, path } = c.req;
    const { headers, status } = c.res;
    headers.set("X-Request-Id", requestId);
    if (status === 401) headers.set("WWW-Authenticate", "Bearer");
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
    // Without this, the server would send a length of 0, because it can't count the body that is
    // left out.
    if (method === "HEAD" && c.res.body) {
      headers.set("Content-Length", String((await c.res.arrayBuffer()).byteLength));
    }
    const { procedure, actor, code, fault = status } = c.var;
    // Labels have few possible values, but paths and methods can be any text.
    const labels = procedure
      ? { method, route: procedure, status: fault }
      : { method: "any", route: "other", status };
    const finish = () => {
      const ms = performance.now() - started;
      metrics.observeRequest(labels, ms / 1000);
      logRequest({
        request_id: requestId,
        method,
        path,
        status,
        code,
        ms: Math.round(ms * 10) / 10,
        procedure,
        user_id: actor?.user.id,
        key_id: actor?.credential.type === "key" ? actor.credential.id : undefined,
      });
    };
    // The answer of a tool begins at once and ends with its result.
    if (procedure?.startsWith("mcp") && headers.get("content-type")?.startsWith("text/event-stream")) {
      c.res = new Response(untilEnd(c.res.body!, finish), c.res);
    } else finish();
  };
}

/** The same stream, which tells when it has ended, failed or been given up. */
function untilEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
}
