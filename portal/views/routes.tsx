import { createRoute, notFound, redirect } from "@tanstack/react-router";
import { codeOf, queryClient } from "../api/client.ts";
import { screen, signedInRoute } from "../app/tree.tsx";
import { addressOf, isViewId } from "../app/view_address.ts";
import { projectsQuery } from "../data/projects.ts";
import { viewQuery } from "../data/views.ts";
import { NoView } from "./no_view.tsx";

export const viewsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/views",
  // A project may have the key VIEWS.
  caseSensitive: true,
  component: screen(() => import("./views.tsx"), "Views"),
});

/** Leads to the board, the list or the search that shows the view. */
export const viewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/views/$viewId",
  caseSensitive: true,
  loader: async ({ params: { viewId } }) => {
    if (!isViewId(viewId)) throw notFound();
    const [view, { projects }] = await Promise.all([
      queryClient.fetchQuery({ ...viewQuery(viewId), staleTime: 0 }).catch((error) => {
        throw codeOf(error) === "not_found" ? notFound() : error;
      }),
      queryClient.ensureQueryData(projectsQuery),
    ]);
    const project = projects.find(({ id }) => id === view.project_id);
    if (view.project_id !== null && !project) throw notFound();
    throw redirect({ ...addressOf(view, project), replace: true });
  },
  notFoundComponent: NoView,
});
