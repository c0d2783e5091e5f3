import type { MiddlewareHandler } from "hono";
import { invalidField } from "../core/errors.ts";
import type { HttpEnv } from "./request.ts";

const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?$/i;

/**
 * Refuses a Host that is no host. The server writes this field unchanged into the request's URL.
 * With a path in it, the field and not the request line would choose the route, past any paths that
 * a proxy forbids.
 */
export const refuseStrangeHost: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const host = c.req.header("host");
  // The request line may name another host, and HTTP/2 does. That host is then in the URL, and
  // can't hold a path.
  if ((host && !HOST.test(host)) || !URL.canParse(c.req.url)) {
    throw invalidField("Host", "Must be a host name, with or without a port");
  }
  await next();
};
