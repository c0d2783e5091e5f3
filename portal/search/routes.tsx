import { createRoute } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";
import { isViewId } from "../app/view_address.ts";
import { LONGEST_QUERY } from "../ui/lengths.ts";

interface SearchSearch {
  q?: string | undefined;
  open?: true | undefined;
  /** The id of the view of all projects that is shown. */
  view?: string | undefined;
}

export const searchRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/search",
  validateSearch: ({ q, open, view }): SearchSearch => ({
    ...((typeof q === "string" || typeof q === "number") && q !== "" &&
      { q: String(q).slice(0, LONGEST_QUERY) }),
    ...(open === true && { open }),
    ...(isViewId(view) && { view }),
  }),
  component: screen(() => import("./search.tsx"), "Search"),
});
