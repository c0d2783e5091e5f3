import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../app/tree.tsx";
import { readFilters } from "./filters.ts";

export const boardRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/board",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./board.tsx"), "Board"),
});

export const listRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/list",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./list.tsx"), "List"),
});
