import { createRoute } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";
import { LONGEST_QUERY } from "../ui/lengths.ts";

export const searchRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/search",
  validateSearch: ({ q, open }): { q?: string | undefined; open?: true | undefined } => ({
    ...((typeof q === "string" || typeof q === "number") && q !== "" &&
      { q: String(q).slice(0, LONGEST_QUERY) }),
    ...(open === true && { open }),
  }),
  component: screen(() => import("./search.tsx"), "Search"),
});
