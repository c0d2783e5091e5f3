import { Hono } from "hono";
import { cors } from "hono/cors";
import { secureHeaders } from "hono/secure-headers";
import type { Services } from "./core/context.ts";
import { AppError } from "./core/errors.ts";
import { agentHookRoutes } from "./http/agent_hooks.ts";
import { docsRoutes } from "./http/docs.ts";
import { eventStreamRoutes } from "./http/event_stream.ts";
import { fail } from "./http/failure.ts";
import { healthRoutes, type JobsState } from "./http/health.ts";
import { refuseStrangeHost } from "./http/host.ts";
import { mcpRoutes } from "./http/mcp.ts";
import { metricsRoutes } from "./http/metrics.ts";
import { refuseOtherMethods } from "./http/methods.ts";
import { observe } from "./http/observe.ts";
import { pageRoutes } from "./http/pages.ts";
import { portalRoutes } from "./http/portal.ts";
import type { HttpEnv } from "./http/request.ts";
import { restRoutes } from "./http/rest.ts";
import { trpcRoutes } from "./http/trpc.ts";
import { unsubscribeRoutes } from "./http/unsubscribe.ts";
import { webhookRoutes, WEBHOOKS } from "./http/webhooks/routes.ts";

/**
 * The header fields of answers that are meant for clients. A browser lets scripts read only the
 * fields that the service lists.
 */
export const READABLE_FIELDS = [
  "Content-Disposition",
  "ETag",
  "Idempotent-Body-Differs",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-Request-Id",
];

/** The whole HTTP side of the service, without a socket. */
export function buildApp(services: Services, jobs: JobsState): Hono<HttpEnv> {
  const { config } = services;
  const app = new Hono<HttpEnv>();
  app.use(observe(services.metrics));
  app.use(secureHeaders({
    crossOriginResourcePolicy: "same-site",
    xFrameOptions: "DENY",
    // The header leaves out includeSubDomains, because the service can't decide for other hosts of
    // its domain.
    strictTransportSecurity: config.PUBLIC_URL.startsWith("https:") && "max-age=15552000",
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
      allowHeaders: [
        "Authorization",
        "Content-Type",
        "Idempotency-Key",
        "If-Match",
        "Last-Event-ID",
        "X-Request-Id",
        "X-TRPC-Source",
        // OpenTelemetry in a browser sends these fields with each traced call.
        "baggage",
        "traceparent",
        "tracestate",
      ],
      allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      exposeHeaders: READABLE_FIELDS,
      maxAge: 600,
    }));
  }
  app.use(refuseStrangeHost);
  app.route("/", healthRoutes(services, jobs));
  app.route("/", metricsRoutes(services));
  app.route("/", pageRoutes());
  app.route("/", agentHookRoutes(config.PUBLIC_URL));
  app.route("/api", docsRoutes(config.PUBLIC_URL, WEBHOOKS));
  app.route("/trpc", trpcRoutes(services));
  const mcp = mcpRoutes(services);
  // Some clients end the address with a slash.
  for (const path of ["/mcp", "/mcp/"]) app.route(path, mcp);
  app.route("/api", webhookRoutes(services));
  app.route("/api", unsubscribeRoutes(services));
  app.route("/api", eventStreamRoutes(services));
  app.route("/api", restRoutes(services));
  refuseOtherMethods(app);
  // The portal comes last, because it handles every address that no other route has.
  app.route("/", portalRoutes(config));
  // The error is returned and not thrown, because an error thrown here would bypass the middleware
  // and its header fields.
  app.notFound((c) =>
    fail(new AppError("not_found", `No such path: ${c.req.path.slice(0, 200).toWellFormed()}`), c)
  );
  app.onError(fail);
  return app;
}
