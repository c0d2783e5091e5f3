import { createRoute } from "@tanstack/react-router";
import { projectRoute, screen } from "../app/tree.tsx";
import { readFilters } from "./filters.ts";

export const boardRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/board",
  validateSearch: readFilters,
  component: screen(() => import("./board.tsx"), "Board"),
});

export const listRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/list",
  validateSearch: readFilters,
  component: screen(() => import("./list.tsx"), "List"),
});
