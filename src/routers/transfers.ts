import { exportProject } from "../transfers/export_project.ts";
import { ImportInput } from "../transfers/import_input.ts";
import { importTickets } from "../transfers/import_tickets.ts";
import { ExportPage, ExportProject, ImportResult } from "../transfers/schema.ts";
import { projectProcedure, router } from "./trpc.ts";

/**
 * The bytes are enough for a ticket with hundreds of long tasks, because a ticket is imported as a
 * whole.
 */
const MOST_IMPORTED_BYTES = 16 * 1024 * 1024;

const admin = { access: "project_admin", scope: "admin", tag: "Projects" } as const;

export const transfersRouter = router({
  export: projectProcedure({
    ...admin,
    method: "GET",
    path: "/projects/{id}/export",
    summary: "Export a project's tickets page by page",
    evenArchived: true,
    description: "`npm run export` writes all pages as JSON lines.",
  }).input(ExportProject).output(ExportPage).query(({ ctx, input }) => exportProject(ctx, input)),

  import: projectProcedure({
    ...admin,
    method: "POST",
    path: "/projects/{id}/import",
    maxBytes: MOST_IMPORTED_BYTES,
    summary: "Import exported tickets into a project",
    description:
      "Imports all tickets of a call or none. Tickets whose ids exist already stay as they are. A ticket that " +
      "waits for its deploy is refused unless a repository of this project is known to report deploys. The " +
      "export names such repositories, if both projects are connected to them. Only for people.",
    errors: ["conflict"],
  }).input(ImportInput).output(ImportResult).mutation(({ ctx, input }) => importTickets(ctx, input)),
});
