import { useNavigate } from "@tanstack/react-router";
import { codeOf, errorBody, handoff, refreshProject } from "../api/client.ts";
import type { Project, Stage, Ticket, TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { board } from "../words/board.ts";
import { focusTicket } from "./focus.ts";
import type { Filters } from "./filters.ts";
import { keepTicket, showMoved } from "./stages.ts";

/** The service's limit for one bulk call. */
export const MOST_AT_ONCE = 100;

/**
 * Moves one ticket on the screen at once. If the service refuses the move, the ticket goes back,
 * and a message shows the reason with a link to the obstacle.
 */
export function useMove(project: Project, filters: Filters) {
  const navigate = useNavigate();

  async function move(ticket: TicketSummary, stage: Stage, ifMatch?: number): Promise<void> {
    const takeBack = await showMoved(project.id, filters, new Set([ticket.id]), stage);
    try {
      keepTicket(project.id, await send(ticket, stage, ifMatch));
      sayDone(board.moved(ticket.ticket_ref, stage), () => {
        void move({ ...ticket, stage }, ticket.stage);
        focusTicket(ticket.id, ticket.stage);
      });
    } catch (error) {
      takeBack();
      focusTicket(ticket.id, ticket.stage);
      refused(ticket, error);
    }
    await refreshProject(project.id);
  }

  /**
   * The move applies to the version that was shown. A change of other fields than the stage doesn't
   * prevent it.
   */
  async function send(ticket: TicketSummary, stage: Stage, ifMatch: number | undefined): Promise<Ticket> {
    const input = { id: project.id, ticketId: ticket.id, stage };
    try {
      return await handoff.api.tickets.update.mutate(
        input,
        ifMatch === undefined ? {} : { context: { ifMatch } },
      );
    } catch (error) {
      const current = errorBody(error)?.details?.["current"] as Ticket | undefined;
      if (codeOf(error) !== "version_conflict" || current?.stage !== ticket.stage) throw error;
      return await handoff.api.tickets.update.mutate(input, { context: { ifMatch: current.version } });
    }
  }

  function refused(ticket: TicketSummary, error: unknown): void {
    const ref = ticket.ticket_ref;
    if (codeOf(error) === "version_conflict") return sayRefused(board.changedByAnother(ref));
    const isGate = ["roles_incomplete", "human_tests_pending"].includes(codeOf(error) ?? "");
    const open = {
      label: board.open(ref),
      run: () => void navigate({ to: ".", search: (old: object) => ({ ...old, ticket: ref }) }),
    };
    sayRefused(error, isGate ? [open] : undefined);
  }

  return (ticket: TicketSummary, stage: Stage) =>
    ticket.stage === stage ? Promise.resolve() : move(ticket, stage, ticket.version);
}
