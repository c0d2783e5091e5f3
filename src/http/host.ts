import type { MiddlewareHandler } from "hono";
import { invalidField } from "../core/errors.ts";
import type { HttpEnv } from "./request.ts";

const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?$/i;

/**
 * The server writes this field into the request's URL as it came: with a path in it, it and not the request line would
 * say which route is meant, past whatever a proxy forbids by path.
 */
export const refuseStrangeHost: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const host = c.req.header("host");
  // The request line may name another one, and HTTP/2 does: that is in the URL then, and can't hold a path.
  if ((host && !HOST.test(host)) || !URL.canParse(c.req.url)) {
    throw invalidField("Host", "Must be a host name, with or without a port");
  }
  await next();
};
