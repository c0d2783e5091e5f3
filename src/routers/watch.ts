import { TicketPath } from "../tickets/schema.ts";
import { listWatchers } from "../watchers/list.ts";
import { Watcher, WatcherList } from "../watchers/schema.ts";
import { watchTicket } from "../watchers/watch.ts";
import { projectProcedure, router } from "./trpc.ts";

const ticket = "/projects/{id}/tickets/{ticketId}";
/** Who may read a ticket may watch it. */
const own = { access: "viewer", scope: "tickets:write", tag: "Watching", path: `${ticket}/watch` } as const;

export const watchRouter = router({
  list: projectProcedure({
    access: "viewer",
    scope: "tickets:read",
    tag: "Watching",
    method: "GET",
    path: `${ticket}/watchers`,
    summary: "List who watches a ticket",
    description:
      "Its creator, the assignees of its tasks, who has commented or was mentioned, and who asked for it by hand.",
    errors: ["not_found"],
  }).input(TicketPath).output(WatcherList).query(({ ctx, input }) => listWatchers(ctx, input)),

  put: projectProcedure({
    ...own,
    method: "PUT",
    summary: "Watch a ticket",
    description: "The caller is told of what happens there. Takes back a muting.",
    errors: ["not_found"],
  }).input(TicketPath).output(Watcher).mutation(({ ctx, input }) => watchTicket(ctx, input, false)),

  remove: projectProcedure({
    ...own,
    method: "DELETE",
    summary: "Mute a ticket",
    description:
      "The caller is told of nothing there, until they watch it again. What waits for them stays in `/waiting`.",
    errors: ["not_found"],
  }).input(TicketPath).output(Watcher).mutation(({ ctx, input }) => watchTicket(ctx, input, true)),
});
