import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../app/tree.tsx";

export const welcomeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/welcome",
  component: lazyRouteComponent(() => import("./welcome.tsx"), "Welcome"),
});
