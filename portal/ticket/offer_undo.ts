import type { Ticket } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { saveTicket, type TicketFields } from "../data/tickets.ts";
import { plan } from "../words/plan.ts";
import { ticket as words } from "../words/ticket.ts";

/** The fields whose change can be taken back by the value that they had, with their words. */
const FIELDS = {
  title: words.title,
  description: words.description,
  suggested_resolution: words.suggested_resolution,
  implementation_notes: words.implementation_notes,
  resolution_note: words.resolution_note,
  stage: words.stage,
  priority: words.priority,
  request_type: words.type,
  blocking: words.blockingShort,
  assignee_user_id: plan.assignee,
  due_on: plan.due,
  start_on: plan.start,
  estimate: plan.estimate,
  milestone_id: plan.milestone,
  parent_id: plan.parent,
  column_id: plan.column,
} satisfies Partial<Record<keyof TicketFields, string>>;

/**
 * Says that fields of a ticket are changed. The message gives them back the values that they had in
 * `base`, unless somebody else has changed them since.
 */
export function offerUndo(fields: TicketFields, base: Ticket, saved: Ticket): void {
  const changed = nameOf(fields);
  if (!changed || saved.version === base.version) return;
  const { id: ticketId, project_id: id, ticket_ref: ref } = saved;
  const label = FIELDS[changed];
  const takeBack = () =>
    saveTicket({ id, ticketId }, formerOf(fields, base), saved).then(
      (outcome) =>
        "current" in outcome
          ? sayRefused(words.changedMeanwhile(label))
          : sayDone(words.fieldAsBefore(label, ref)),
      (error: unknown) => sayRefused(error),
    );
  sayDone(words.fieldChanged(label, ref), () => void takeBack());
}

/** The field that a change is called by; undefined for a change that its former values don't take back. */
function nameOf(fields: TicketFields): keyof typeof FIELDS | undefined {
  const names = Object.keys(fields);
  return names.every((name) => name in FIELDS) ? names[0] as keyof typeof FIELDS : undefined;
}

/** A ticket that goes back into a stage goes back into its column, too. */
function formerOf(fields: TicketFields, base: Ticket): TicketFields {
  const names = [...Object.keys(fields), ...("stage" in fields && base.column_id ? ["column_id"] : [])];
  return Object.fromEntries(names.map((name) => [name, base[name as keyof Ticket]]));
}
