import { createLink } from "../links/create.ts";
import { deleteLink } from "../links/delete.ts";
import { listLinks } from "../links/list.ts";
import { CreatedLink, CreateLink, LinkList, LinkPath } from "../links/schema.ts";
import { TicketPath } from "../tickets/schema.ts";
import { Nothing, projectProcedure, router } from "./trpc.ts";

const tag = "Planning";
const links = "/projects/{id}/tickets/{ticketId}/links";

export const linksRouter = router({
  list: projectProcedure({
    access: "viewer",
    scope: "tickets:read",
    tag,
    method: "GET",
    path: links,
    summary: "List the tickets to which a ticket is linked",
    errors: ["not_found"],
  }).input(TicketPath).output(LinkList).query(({ ctx, input }) => listLinks(ctx, input)),

  create: projectProcedure({
    access: "member",
    scope: "tickets:write",
    tag,
    method: "POST",
    path: links,
    statusOf: (made: CreatedLink) => made._idempotent_replay ? 200 : 201,
    location: (_: CreatedLink, input: CreateLink) => `/projects/${input.id}/tickets/${input.ticketId}/links`,
    summary: "Link two tickets",
    description:
      "While a ticket has an open blocker, none of its tasks is ready. The same link again is answered with the one " +
      "that is there. Blockers in a ring are refused with the path in `details.cycle`.",
    errors: ["not_found", "conflict"],
    example: { input: { kind: "blocked_by", ticket: "HO-7" } },
  }).input(CreateLink).output(CreatedLink).mutation(({ ctx, input }) => createLink(ctx, input)),

  delete: projectProcedure({
    access: "member",
    scope: "tickets:write",
    tag,
    method: "DELETE",
    path: `${links}/{linkId}`,
    status: 204,
    summary: "Delete a link between two tickets",
    errors: ["not_found"],
  }).input(LinkPath).output(Nothing).mutation(({ ctx, input }) => deleteLink(ctx, input)),
});
