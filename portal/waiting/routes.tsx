import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { queryClient, trpc } from "../api/client.ts";
import { signedInRoute } from "../app/tree.tsx";

export const waitingRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  // Without a project nothing can wait, so the person is sent to the first steps, which create a
  // project.
  beforeLoad: async () => {
    const { projects } = await queryClient.ensureQueryData(trpc.projects.list.queryOptions({ limit: 200 }));
    if (projects.length === 0) throw redirect({ to: "/welcome", replace: true });
  },
  component: lazyRouteComponent(() => import("./waiting.tsx"), "Waiting"),
});
