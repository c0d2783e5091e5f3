import { createRoute } from "@tanstack/react-router";
import { queryClient } from "../api/client.ts";
import { projectNamed } from "../app/project.ts";
import { projectRoute, screen } from "../app/tree.tsx";
import { columnsQuery } from "../data/columns.ts";
import { projectsQuery } from "../data/projects.ts";
import { readFilters } from "./filters.ts";

export const boardRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/board",
  validateSearch: readFilters,
  // The columns are read while the board's code is loaded.
  loader: async ({ params }) => {
    const { projects } = await queryClient.ensureQueryData(projectsQuery);
    const project = projectNamed(projects, params.key);
    if (project) void queryClient.prefetchQuery(columnsQuery(project.id));
  },
  component: screen(() => import("./board.tsx"), "Board"),
});

export const listRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/list",
  validateSearch: readFilters,
  component: screen(() => import("./list.tsx"), "List"),
});
