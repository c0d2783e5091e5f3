import { createRoute } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";

export const welcomeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/welcome",
  component: screen(() => import("./welcome.tsx"), "Welcome"),
});
