import { useNavigate } from "@tanstack/react-router";
import { errorBody } from "../api/client.ts";
import type { Stage, TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { moveTicket } from "../data/tickets.ts";
import { board } from "../words/board.ts";
import { focusTicket } from "./focus.ts";

/** The service's limit for one bulk call. */
export const MOST_AT_ONCE = 100;

/**
 * Moves one ticket on the screen at once. If the service refuses the move, the ticket goes back,
 * and a message shows the reason with a button that opens the ticket.
 */
export function useMove() {
  const navigate = useNavigate();

  async function move(ticket: TicketSummary, stage: Stage, isUndo = false): Promise<void> {
    try {
      const outcome = await moveTicket(ticket, stage);
      if ("current" in outcome) {
        focusTicket(ticket.id, outcome.current.stage);
        return sayRefused(board.changedByAnother(ticket.ticket_ref));
      }
      const takeBack = () => {
        void move(outcome.saved, ticket.stage, true);
        focusTicket(ticket.id, ticket.stage);
      };
      sayDone(board.moved(ticket.ticket_ref, stage), isUndo ? undefined : takeBack);
    } catch (error) {
      focusTicket(ticket.id, ticket.stage);
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

  return (ticket: TicketSummary, stage: Stage) =>
    ticket.stage === stage ? Promise.resolve() : move(ticket, stage);
}
