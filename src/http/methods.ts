import type { Hono } from "hono";
import { AppError } from "../core/errors.ts";
import type { HttpEnv } from "./request.ts";

/**
 * Adds a 405 with Allow to every path that is served so far, where it has none yet. Call it last.
 */
export function refuseOtherMethods(app: Hono<HttpEnv>): void {
  for (const [path, routes] of Map.groupBy(app.routes, (route) => route.path)) {
    const methods = routes.map(({ method }) => method);
    if (!methods.includes("ALL")) refuseOthers(app, path, methods);
  }
}

/**
 * The same for one path, ahead of what is served with a parameter in the place of its last segment.
 */
export function refuseOthers(app: Hono<HttpEnv>, path: string, methods: readonly string[]): void {
  // Hono answers HEAD where there is a GET.
  const allowed = new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods);
  const headers = { Allow: [...allowed].sort().join(", ") };
  app.all(path, () => {
    throw new AppError("method_not_allowed", undefined, { headers });
  });
}
