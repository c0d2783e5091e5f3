import {
  createRootRoute,
  createRoute,
  type ErrorComponentProps,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { isSignedOut, queryClient } from "../api/client.ts";
import { loadPart } from "../api/load.ts";
import { meQuery } from "../data/me.ts";
import { projectsQuery } from "../data/projects.ts";
import { Failed, NotFound } from "./failed.tsx";
import { Shell } from "./shell.tsx";

// The root routes. Each area adds its routes to one of these, and routes.tsx combines all of them.

export const rootRoute = createRootRoute({ notFoundComponent: NotFound, errorComponent: Failed });

/**
 * The part of the portal for people who are signed in. Other visitors are sent to the sign-in page,
 * and back after the sign-in.
 */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    // The projects are read in the same request, because most screens need them.
    void queryClient.prefetchQuery(projectsQuery);
    try {
      await queryClient.ensureQueryData(meQuery);
    } catch (error) {
      // The page says so and tries again.
      if (!isSignedOut(error)) throw error;
      throw redirect({ to: "/sign-in", search: { next: location.href } });
    }
  },
  component: Shell,
  errorComponent: FailedInShell,
});

/** The frame stays, so that a person who has no connection knows where they are. */
function FailedInShell(props: ErrorComponentProps) {
  return (
    <Shell>
      <Failed {...props} />
    </Shell>
  );
}

/** The panel or dialog that any screen of a project may have open above it. */
export interface ProjectSearch {
  /** The ref of the ticket in the panel. */
  ticket?: string | undefined;
  /** The dialog of a new ticket. */
  create?: true | undefined;
}

/** The ref of an address. People write it in lower case, and copy a point or bracket after it. */
export function refOf(named: unknown): string {
  return String(named).toUpperCase().replace(/[^A-Z0-9]+$/, "");
}

/**
 * The route of one project's screens, whose addresses begin with the project's key. routes.tsx adds
 * the frame around them.
 */
export const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/$key",
  validateSearch: ({ ticket, create }): ProjectSearch => ({
    ...(/^[A-Z][A-Z0-9]{1,9}-\d+$/.test(refOf(ticket)) && { ticket: refOf(ticket) }),
    ...(create === true && { create: true as const }),
  }),
  loader: () => queryClient.ensureQueryData(projectsQuery),
});

/** The component of a screen, loaded when the screen is entered. */
export function screen<Module extends object, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => loadPart(load), name);
}
