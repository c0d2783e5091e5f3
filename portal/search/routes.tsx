import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../app/tree.tsx";

export const searchRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/search",
  validateSearch: ({ q }): { q?: string | undefined } =>
    (typeof q === "string" || typeof q === "number") && q !== "" ? { q: String(q).slice(0, 200) } : {},
  component: lazyRouteComponent(() => import("./search.tsx"), "Search"),
});
