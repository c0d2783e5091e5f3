import { createRoute } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";

export const myWorkRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/my-work",
  component: screen(() => import("./my_work.tsx"), "MyWork"),
});
