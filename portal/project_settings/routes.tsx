import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../app/tree.tsx";

export const projectSettingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./project_settings.tsx"), "ProjectSettings"),
});
