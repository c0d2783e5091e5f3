import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { secureHeaders } from "hono/secure-headers";
import type { Services } from "./core/context.ts";
import { AppError } from "./core/errors.ts";
import { toAppError } from "./core/failures.ts";
import { log } from "./core/log.ts";
import { docsRoutes } from "./http/docs.ts";
import { healthRoutes, type JobsReady } from "./http/health.ts";
import { logFailure } from "./http/log.ts";
import type { HttpEnv } from "./http/request.ts";
import { restRoutes } from "./http/rest.ts";
import { trpcRoutes } from "./http/trpc.ts";

/** The whole HTTP side of the service, without a socket. */
export function buildApp(services: Services, jobsReady: JobsReady): Hono<HttpEnv> {
  const { config } = services;
  const app = new Hono<HttpEnv>();
  app.use(observe);
  app.use(secureHeaders({
    crossOriginResourcePolicy: "same-site",
    xFrameOptions: "DENY",
    strictTransportSecurity: config.PUBLIC_URL.startsWith("https:"),
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  }));
  if (config.CORS_ORIGINS.length > 0) {
    app.use(cors({
      origin: (origin) => config.CORS_ORIGINS.includes(origin) ? origin : null,
      credentials: true,
      allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "X-Request-Id"],
      allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      exposeHeaders: ["ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"],
      maxAge: 600,
    }));
  }
  app.route("/", healthRoutes(services, jobsReady));
  app.route("/trpc", trpcRoutes(services));
  app.route("/api", docsRoutes(config.PUBLIC_URL, []));
  app.route("/api", restRoutes(services));
  app.notFound((c) => {
    throw new AppError("not_found", `No such path: ${c.req.path.slice(0, 200)}`);
  });
  app.onError((thrown, c) => {
    const error = toAppError(thrown);
    logFailure(c.var.requestId, error);
    for (const [name, value] of Object.entries(error.fields.headers ?? {})) c.header(name, value);
    if (error.status === 503) c.header("Retry-After", "5");
    return c.json(error.body(c.var.requestId), error.status as 400);
  });
  return app;
}

/** A request id on every answer, one log line for every request. Answers are private unless they say otherwise. */
const observe: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const started = performance.now();
  const given = c.req.header("x-request-id");
  const requestId = given && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID();
  c.set("requestId", requestId);
  await next();
  c.res.headers.set("X-Request-Id", requestId);
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
  log.info("request", {
    request_id: requestId,
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    ms: Math.round((performance.now() - started) * 10) / 10,
    procedure: c.var.procedure,
    user_id: c.var.actor?.user.id,
    key_id: c.var.actor?.credential.type === "key" ? c.var.actor.credential.id : undefined,
  });
};
