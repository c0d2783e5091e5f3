import type { Hono } from "hono";
import { AppError } from "../core/errors.ts";
import type { HttpEnv } from "./request.ts";

/**
 * Adds a 405 with Allow to every path that has a route but no 405 yet. Call this after all routes
 * are added.
 */
export function refuseOtherMethods(app: Hono<HttpEnv>): void {
  for (const [path, routes] of Map.groupBy(app.routes, (route) => route.path)) {
    const methods = routes.map(({ method }) => method);
    if (!methods.includes("ALL")) refuseOthers(app, path, methods);
  }
}

/**
 * Adds the 405 to one path. Call this before a route whose last segment is a parameter, because
 * that route would match the path, too.
 */
export function refuseOthers(app: Hono<HttpEnv>, path: string, methods: readonly string[]): void {
  // Hono answers HEAD for each path that has a GET.
  const allowed = new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods);
  const headers = { Allow: [...allowed].sort().join(", ") };
  app.all(path, () => {
    throw new AppError("method_not_allowed", undefined, { headers });
  });
}
