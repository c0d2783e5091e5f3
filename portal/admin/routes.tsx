import { createRoute } from "@tanstack/react-router";
import { screen, signedInRoute } from "../app/tree.tsx";
import { admin } from "../words/admin.ts";

export type AdminSection = keyof typeof admin.sections;

export const adminRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/admin",
  validateSearch: ({ section }): { section?: AdminSection | undefined } =>
    typeof section === "string" && Object.hasOwn(admin.sections, section)
      ? { section: section as AdminSection }
      : {},
  component: screen(() => import("./admin.tsx"), "Admin"),
});
