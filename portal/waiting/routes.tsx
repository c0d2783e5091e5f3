import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { queryClient, trpc } from "../api/client.ts";
import { signedInRoute } from "../app/tree.tsx";

export const waitingRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  // Nothing can wait where there is no project; the first steps make one.
  beforeLoad: async () => {
    const { projects } = await queryClient.ensureQueryData(trpc.projects.list.queryOptions({ limit: 200 }));
    if (projects.length === 0) throw redirect({ to: "/welcome", replace: true });
  },
  component: lazyRouteComponent(() => import("./waiting.tsx"), "Waiting"),
});
