import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../app/tree.tsx";

export const waitingRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./waiting.tsx"), "Waiting"),
});
