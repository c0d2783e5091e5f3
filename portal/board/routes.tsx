import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../app/tree.tsx";

export const boardRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/board",
  component: lazyRouteComponent(() => import("./board.tsx"), "Board"),
});
