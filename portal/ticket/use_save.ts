import type { Project, Ticket } from "../api/types.ts";
import { sayRefused, undoable } from "../app/toasts.tsx";
import { type Conflict, saveTicket, type TicketFields } from "../data/tickets.ts";
import { ticket as words } from "../words/ticket.ts";

/**
 * Saves fields of the shown ticket, and returns what stood against it. The message of a saved change
 * takes it back.
 */
export function useSave(project: Project, ticket: Ticket) {
  return async function save(fields: TicketFields, base: Ticket = ticket): Promise<Conflict | null> {
    const saving = saveTicket({ id: project.id, ticketId: ticket.id }, fields, base);
    // The page is small without it, and a change is saved also if it can't be loaded.
    const offered = Promise.all([saving, import("./offer_undo.ts")]).then(
      ([outcome, { offerUndo }]) => "saved" in outcome && offerUndo(fields, base, outcome.saved),
    );
    undoable(offered).catch(() => {});
    const outcome = await saving;
    return "current" in outcome ? outcome : null;
  };
}

/**
 * Saves a field whose value is chosen from a list. A conflict is reported, and the other person's
 * value is shown.
 */
export function useChoose(project: Project, ticket: Ticket) {
  const save = useSave(project, ticket);
  return (fields: TicketFields, label: string) =>
    void save(fields).then(
      (conflict) => conflict && sayRefused(words.changedMeanwhile(label)),
      (error: unknown) => sayRefused(error),
    );
}
