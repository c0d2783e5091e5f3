import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { Hono } from "hono";
import type { Services } from "../core/context.ts";
import { appRouter } from "../routers/root.ts";
import { appErrorOf } from "../routers/trpc.ts";
import { readBody } from "./body.ts";
import { logFailure } from "./log.ts";
import { type HttpEnv, requestContext } from "./request.ts";

// A batch carries several calls, each of which REST would allow 256 KiB.
const MAX_BODY_BYTES = 1024 * 1024;

/** The same procedures for TypeScript clients, with superjson and batches. */
export function trpcRoutes(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.all("/*", async (c) => {
    c.set("procedure", "trpc");
    const ctx = await requestContext(c, services);
    return await fetchRequestHandler({
      endpoint: "/trpc",
      req: await bounded(c.req.raw),
      router: appRouter,
      allowMethodOverride: true,
      createContext: () => ctx,
      responseMeta: () => ({ headers: ctx.headers }),
      onError: ({ error }) => logFailure(c.var.requestId, appErrorOf(error)),
    });
  });
  return app;
}

/** The request with its body read already, so that its size and its time are ours to say. */
async function bounded(request: Request): Promise<Request> {
  if (request.method === "GET" || request.method === "HEAD") return request;
  const body = await readBody(request, MAX_BODY_BYTES);
  return new Request(request.url, { method: request.method, headers: request.headers, body });
}
