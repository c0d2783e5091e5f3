import { createRoute } from "@tanstack/react-router";
import { projectRoute, screen } from "../app/tree.tsx";

export const ticketRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tickets/$ref",
  component: screen(() => import("./page.tsx"), "TicketPage"),
});
