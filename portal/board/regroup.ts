import type { TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import type { TicketGrouping } from "../data/ticket_groups.ts";
import { saveTicket, type TicketFields } from "../data/tickets.ts";
import { board } from "../words/board.ts";
import { views as words } from "../words/views.ts";
import { type Group, nameOf } from "./group_name.tsx";

/** The change that takes a ticket from one group into another. */
function fieldsOf(by: TicketGrouping, from: Group, to: Group): TicketFields | null {
  const id = to.value === "none" ? null : to.value;
  switch (by) {
    case "assignee":
      return { assignee_user_id: id };
    case "milestone":
      return { milestone_id: id };
    case "parent":
      return { parent_id: id };
    case "priority":
      return { priority: to.value as TicketSummary["priority"] };
    case "label":
      return {
        ...(to.name !== null && { add_labels: [to.name] }),
        ...(from.name !== null && { remove_labels: [from.name] }),
      };
    case "stage":
    case "column":
      return null;
  }
}

/**
 * Moves a ticket into another group by one change of the field, and offers to take it back. A refusal is
 * shown in the service's sentence, and the ticket stays where it is.
 */
export async function regroup(
  by: TicketGrouping,
  ticket: TicketSummary,
  from: Group,
  to: Group,
): Promise<void> {
  const fields = fieldsOf(by, from, to);
  if (fields === null || from.value === to.value) return;
  const { project_id: id, id: ticketId, ticket_ref: ref } = ticket;
  try {
    const outcome = await saveTicket({ id, ticketId }, fields, ticket);
    if ("current" in outcome) return sayRefused(board.changedByAnother(ref));
    sayDone(words.regrouped(ref, nameOf(by, to)), () => void regroup(by, outcome.saved, to, from));
  } catch (error) {
    sayRefused(error);
  }
}
