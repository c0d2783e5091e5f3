import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../app/tree.tsx";

export const surveyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/survey/$code",
  component: lazyRouteComponent(() => import("./survey.tsx"), "Survey"),
});
