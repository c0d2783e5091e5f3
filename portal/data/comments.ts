import { handoff, trpc } from "../api/client.ts";
import type { Comment, Inputs } from "../api/types.ts";
import type { TicketAt } from "./changes.ts";
import { ticketChange } from "./changing.ts";
import { nextPage } from "./pages.ts";

export function commentsQuery(at: TicketAt) {
  return trpc.comments.list.infiniteQueryOptions({ ...at, limit: 100 }, nextPage);
}

export function createComment(at: TicketAt) {
  return ticketChange(
    at,
    (input: Omit<Inputs["comments"]["create"], keyof TicketAt>) =>
      handoff.api.comments.create.mutate({ ...at, ...input }),
  );
}

export function resolveComment(at: TicketAt, { id, resolved_at }: Comment) {
  return ticketChange(
    at,
    () => handoff.api.comments[resolved_at === null ? "resolve" : "reopen"].mutate({ ...at, commentId: id }),
  );
}

export function updateComment(at: TicketAt, commentId: string) {
  return ticketChange(at, (body: string) => handoff.api.comments.update.mutate({ ...at, commentId, body }));
}

export function deleteComment(at: TicketAt, commentId: string) {
  return ticketChange(at, () => handoff.api.comments.delete.mutate({ ...at, commentId }));
}
