import { createRoute } from "@tanstack/react-router";
import { projectRoute, screen } from "../app/tree.tsx";

export const projectSettingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/settings",
  component: screen(() => import("./project_settings.tsx"), "ProjectSettings"),
});
