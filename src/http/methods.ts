import type { Hono } from "hono";
import { AppError } from "../core/errors.ts";
import type { HttpEnv } from "./request.ts";

/** Adds a 405 with Allow to every path that is served so far. Call it last. */
export function refuseOtherMethods(app: Hono<HttpEnv>): void {
  const served = app.routes.filter(({ method }) => method !== "ALL");
  for (const [path, routes] of Map.groupBy(served, (route) => route.path)) {
    const methods = new Set(routes.map(({ method }) => method));
    // Hono answers HEAD where there is a GET.
    if (methods.has("GET")) methods.add("HEAD");
    const headers = { Allow: [...methods].sort().join(", ") };
    app.all(path, () => {
      throw new AppError("method_not_allowed", undefined, { headers });
    });
  }
}
