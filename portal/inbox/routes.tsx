import { createRoute } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";
import { inbox } from "../words/waiting.ts";

export type Show = keyof typeof inbox.show;

export const inboxRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/inbox",
  validateSearch: ({ show }): { show?: Show | undefined } =>
    typeof show === "string" && Object.hasOwn(inbox.show, show) ? { show: show as Show } : {},
  component: screen(() => import("./inbox.tsx"), "Inbox"),
});
