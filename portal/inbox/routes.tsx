import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../app/tree.tsx";
import { inbox } from "../words/waiting.ts";

export type Show = keyof typeof inbox.show;

export const inboxRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/inbox",
  validateSearch: ({ show }): { show?: Show | undefined } =>
    typeof show === "string" && Object.hasOwn(inbox.show, show) ? { show: show as Show } : {},
  component: lazyRouteComponent(() => import("./inbox.tsx"), "Inbox"),
});
