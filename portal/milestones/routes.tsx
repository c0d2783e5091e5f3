import { createRoute } from "@tanstack/react-router";
import { projectRoute, screen } from "../app/tree.tsx";

export const milestonesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/milestones",
  component: screen(() => import("./milestones.tsx"), "Milestones"),
});
