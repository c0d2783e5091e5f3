import { createRoute } from "@tanstack/react-router";
import { rootRoute, screen } from "../app/tree.tsx";

export const surveyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/survey/$code",
  component: screen(() => import("./survey.tsx"), "Survey"),
});
