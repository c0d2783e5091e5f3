import { createRoute } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";

export const searchRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/search",
  validateSearch: ({ q }): { q?: string | undefined } =>
    (typeof q === "string" || typeof q === "number") && q !== "" ? { q: String(q).slice(0, 200) } : {},
  component: screen(() => import("./search.tsx"), "Search"),
});
