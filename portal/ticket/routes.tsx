import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../app/tree.tsx";

export const ticketRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tickets/$ref",
  component: lazyRouteComponent(() => import("./page.tsx"), "TicketPage"),
});
