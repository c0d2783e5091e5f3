import { createRoute, redirect } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";

export const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings",
  component: screen(() => import("./settings.tsx"), "Settings"),
});

/** The address to which mails link. */
export const notificationSettingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/notifications",
  beforeLoad: () => {
    throw redirect({ to: "/settings", hash: "notifications", replace: true });
  },
});
