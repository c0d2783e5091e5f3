import type { Project, TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused, undoable } from "../app/toasts.tsx";
import { type BulkChange, bulkChange } from "../data/tickets.ts";
import { board } from "../words/board.ts";
import { takeBack } from "./take_back.ts";
import { MOST_AT_ONCE } from "./use_move.ts";

type Set = NonNullable<BulkChange["set"]>;

/** A change of one field of many tickets. */
export interface FieldChange {
  set: Set;
  /** The fields that make a ticket as it was before. */
  former: (ticket: TicketSummary) => Set;
}

/** Changes a field of many tickets at once. The message takes the change back ticket by ticket. */
export function useBulkChange(project: Project) {
  async function change(tickets: readonly TicketSummary[], { set, former }: FieldChange) {
    if (tickets.length > MOST_AT_ONCE) return sayRefused(board.atMost(MOST_AT_ONCE));
    try {
      const { results, updated, errors } = await bulkChange(project.id, {
        action: "change",
        set,
        ticket_ids: tickets.map(({ id }) => id),
      });
      const reverse = (ticket: TicketSummary) => [{ action: "change" as const, set: former(ticket) }];
      if (updated > 0) {
        sayDone(
          board.changedMany(updated),
          () => void takeBack(project.id, { tickets, results, reverse }),
        );
      }
      for (const { error } of errors) sayRefused(error);
    } catch (error) {
      sayRefused(error);
    }
  }
  return (tickets: readonly TicketSummary[], to: FieldChange) => undoable(change(tickets, to));
}
