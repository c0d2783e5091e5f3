import { listReferences } from "../references/list.ts";
import { listReferring } from "../references/list_referring.ts";
import { ListReferring, ReferenceList, ReferringList } from "../references/schema.ts";
import { TicketPath } from "../tickets/schema.ts";
import { projectProcedure, router } from "./trpc.ts";

const read = { access: "viewer", scope: "tickets:read", tag: "Planning", method: "GET" } as const;
const ticket = "/projects/{id}/tickets/{ticketId}";

export const referencesRouter = router({
  list: projectProcedure({
    ...read,
    path: `${ticket}/references`,
    summary: "List the tickets that a ticket's texts name",
    description:
      "A text names a ticket by its ref, such as HO-12, or by its address in the portal. A ref in code is code.",
    errors: ["not_found"],
  }).input(TicketPath).output(ReferenceList).query(({ ctx, input }) => listReferences(ctx, input)),

  referring: projectProcedure({
    ...read,
    path: `${ticket}/referring`,
    summary: "List the tickets whose texts name a ticket, the latest first",
    description:
      "It leaves out what the caller may not see. A list follows a change of a text within a moment.",
    errors: ["not_found"],
  }).input(ListReferring).output(ReferringList).query(({ ctx, input }) => listReferring(ctx, input)),
});
