import type { MiddlewareHandler } from "hono";
import { invalidField } from "../core/errors.ts";
import type { HttpEnv } from "./request.ts";

const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?$/i;

/**
 * Refuses a Host field that is not a host. The server writes this field unchanged into the
 * request's URL. If the field contained a path, it would choose the route in place of the request
 * line, and could reach paths that a proxy forbids.
 */
export const refuseStrangeHost: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const host = c.req.header("host");
  // The request line may name another host, as it does in HTTP/2. Then the URL has that host, which
  // can't contain a path.
  if ((host && !HOST.test(host)) || !URL.canParse(c.req.url)) {
    throw invalidField("Host", "Must be a host name, with or without a port");
  }
  await next();
};
