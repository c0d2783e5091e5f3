import { createRoute, redirect } from "@tanstack/react-router";
import { queryClient } from "../api/client.ts";
import { screen, signedInRoute } from "../app/tree.tsx";
import { projectsQuery } from "../data/projects.ts";

export const waitingRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  // Without a project nothing can wait, so the person is sent to the first steps, which create a
  // project.
  beforeLoad: async () => {
    const { projects } = await queryClient.ensureQueryData(projectsQuery);
    if (projects.length === 0) throw redirect({ to: "/welcome", replace: true });
  },
  component: screen(() => import("./waiting.tsx"), "Waiting"),
});
