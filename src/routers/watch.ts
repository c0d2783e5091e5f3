import { TicketPath } from "../tickets/schema.ts";
import { listWatchers } from "../watchers/list.ts";
import { Watcher, WatcherList } from "../watchers/schema.ts";
import { watchTicket } from "../watchers/watch.ts";
import { projectProcedure, router } from "./trpc.ts";

const ticket = "/projects/{id}/tickets/{ticketId}";
/** Anyone who may read a ticket may watch it. */
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
      "Lists the ticket's creator, the assignees of its tasks, users who commented or were mentioned, and users " +
      "who chose to watch it.",
    errors: ["not_found"],
  }).input(TicketPath).output(WatcherList).query(({ ctx, input }) => listWatchers(ctx, input)),

  put: projectProcedure({
    ...own,
    method: "PUT",
    summary: "Watch a ticket",
    description: "The caller is notified about the ticket. Ends a muting.",
    errors: ["not_found"],
  }).input(TicketPath).output(Watcher).mutation(({ ctx, input }) => watchTicket(ctx, input, false)),

  remove: projectProcedure({
    ...own,
    method: "DELETE",
    summary: "Mute a ticket",
    description:
      "The caller is not notified about the ticket until they watch it again. Items that wait for the caller " +
      "stay in `/waiting`.",
    errors: ["not_found"],
  }).input(TicketPath).output(Watcher).mutation(({ ctx, input }) => watchTicket(ctx, input, true)),
});
