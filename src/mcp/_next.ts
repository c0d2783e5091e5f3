import { isFinished } from "../tasks/transitions.ts";
import type { Ticket } from "../tickets/schema.ts";

type Facts = Pick<Ticket, "ticket_ref" | "status" | "stage" | "tasks" | "roles" | "cases" | "closing">;

/**
 * Tells an agent what brings a ticket nearer to its end after a report on it, so that the agent needs no call to
 * find that out. Undefined for a closed ticket.
 */
export function nextStep(
  { ticket_ref: ref, status, stage, tasks, roles, cases, closing }: Facts,
): string | undefined {
  if (status === "closed") return undefined;
  if (tasks.done < tasks.total) return `claim_task with ticket ${ref} gives its next task.`;
  const unfinished = roles.filter((role) => !isFinished(role));
  if (unfinished.length > 0) {
    return `Its tasks are finished. Finish its roles with set_role: ${
      unfinished.map(({ role }) => role).join(", ")
    }.`;
  }
  if (stage !== "validation") {
    return `${cases.total > 0 ? "" : "Propose with add_test_case what a person should check. "}` +
      "Then move it to validation with update_ticket.";
  }
  if (closing.cases > 0) {
    return `A person must approve its test cases: wait_for with ticket ${ref}, or end your turn.`;
  }
  if (closing.questions > 0) {
    return `A person must answer first: wait_for with ticket ${ref}, or end your turn.`;
  }
  if (closing.people > 0) return "Only people close tickets of this project, so tell your user.";
  return "Nothing holds it back: update_ticket with stage live closes it.";
}
