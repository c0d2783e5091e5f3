import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../app/tree.tsx";

export const projectsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/projects",
  component: lazyRouteComponent(() => import("./projects.tsx"), "Projects"),
});
