import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Services } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { appRouter } from "../routers/root.ts";
import { appErrorOf } from "../routers/trpc.ts";
import { logFailure } from "./log.ts";
import { type HttpEnv, requestContext } from "./request.ts";

// A batch carries several calls, each of which REST would allow 256 KiB.
const MAX_BODY_BYTES = 1024 * 1024;

/** The same procedures for TypeScript clients, with superjson and batches. */
export function trpcRoutes(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      throw new AppError("payload_too_large", `A batch may have at most ${MAX_BODY_BYTES} bytes`);
    },
  }));
  app.all("/*", async (c) => {
    c.set("procedure", "trpc");
    const ctx = await requestContext(c, services);
    return await fetchRequestHandler({
      endpoint: "/trpc",
      req: c.req.raw,
      router: appRouter,
      allowMethodOverride: true,
      createContext: () => ctx,
      responseMeta: () => ({ headers: ctx.headers }),
      onError: ({ error }) => logFailure(c.var.requestId, appErrorOf(error)),
    });
  });
  return app;
}
