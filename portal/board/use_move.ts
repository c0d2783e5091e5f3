import { useNavigate } from "@tanstack/react-router";
import { errorBody } from "../api/client.ts";
import type { TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused, undoable } from "../app/toasts.tsx";
import { loadedTickets } from "../data/ticket_lists.ts";
import { moveTicket, type Target } from "../data/tickets.ts";
import { board } from "../words/board.ts";
import { columnOf, type DrawnColumn, nameOf } from "./columns.ts";
import { focusTicket } from "./focus.ts";
import { gapOf } from "./gaps.ts";

/** The service's limit for one bulk call. */
export const MOST_AT_ONCE = 100;

/**
 * Moves one ticket on the screen at once. If the service refuses the move, the ticket goes back,
 * and a message shows the reason with a button that opens the ticket.
 */
export function useMove(columns: readonly DrawnColumn[]) {
  const navigate = useNavigate();
  const shownAt = (ticket: TicketSummary) => columnOf(columns, ticket);

  async function move(ticket: TicketSummary, target: Target, isUndo = false): Promise<void> {
    const back = backOf(ticket, target);
    try {
      const outcome = await moveTicket(ticket, target);
      if ("current" in outcome) {
        focusTicket(ticket.id, shownAt(outcome.current).key);
        return sayRefused(board.changedByAnother(ticket.ticket_ref));
      }
      const { saved } = outcome;
      const takeBack = () => {
        void move(saved, back, true);
        focusTicket(ticket.id, shownAt(ticket).key);
      };
      const { ticket_ref: ref } = saved;
      const [column, above] = [shownAt(saved), aboveOf(saved, target)];
      if (column !== shownAt(ticket) || above === undefined) {
        return sayDone(board.moved(ref, nameOf(column)), isUndo ? undefined : takeBack);
      }
      const text = above ? board.placedBelow(ref, above.ticket_ref) : board.placedAtTop(ref, nameOf(column));
      sayDone(text, isUndo ? undefined : takeBack, ref);
    } catch (error) {
      focusTicket(ticket.id, shownAt(ticket).key);
      refused(ticket, error);
    }
  }

  function refused({ ticket_ref: ref }: TicketSummary, error: unknown): void {
    // The details of a gate's refusal are obstacles that the ticket's page shows.
    const isGate = errorBody(error)?.details !== undefined;
    const open = {
      label: board.open(ref),
      run: () => void navigate({ to: ".", search: (old: object) => ({ ...old, ticket: ref }) }),
    };
    sayRefused(error, isGate ? [open] : undefined);
  }

  return (ticket: TicketSummary, target: Target): Promise<void> => {
    const { stage, column_id, above, below } = target;
    const isThere = ticket.stage === stage && shownAt(ticket).column_id === column_id;
    return isThere && !above && !below ? Promise.resolve() : undoable(move(ticket, target));
  };
}

/** The ticket below which another one was put by hand; null at the top. */
function aboveOf({ project_id }: TicketSummary, { above }: Target): TicketSummary | null | undefined {
  return typeof above === "string" ? loadedTickets(project_id).get(above) : above;
}

/** The way back to where the ticket is. Its neighbours count only if it gets others. */
function backOf(ticket: TicketSummary, { above }: Target): Target {
  const { stage, column_id } = ticket;
  return { stage, column_id, ...(above !== undefined && gapOf(ticket)) };
}
