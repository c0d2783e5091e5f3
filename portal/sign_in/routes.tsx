import { createRoute } from "@tanstack/react-router";
import { rootRoute, screen } from "../app/tree.tsx";
import { ownAddress } from "./next.ts";

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  // Only an address of the portal itself is allowed. Otherwise a link of somebody else could lead
  // away after the sign-in.
  validateSearch: ({ next }): { next?: string } =>
    ownAddress(next, location.origin) === null ? {} : { next: next as string },
  component: screen(() => import("./sign_in.tsx"), "SignIn"),
});
