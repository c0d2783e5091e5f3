import { createRoute } from "@tanstack/react-router";
import { projectRoute, screen } from "../app/tree.tsx";
import { suggestions } from "../words/waiting.ts";

export type Show = keyof typeof suggestions.show;

export const suggestionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/suggestions",
  validateSearch: ({ show }): { show?: Show | undefined } =>
    typeof show === "string" && Object.hasOwn(suggestions.show, show) ? { show: show as Show } : {},
  component: screen(() => import("./suggestions.tsx"), "Suggestions"),
});
