import { createRoute } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";

export const projectsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/projects",
  component: screen(() => import("./projects.tsx"), "Projects"),
});
