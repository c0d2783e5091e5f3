import { z } from "zod";
import type { Task } from "../tasks/schema.ts";
import type { Ticket } from "../tickets/schema.ts";

/** Long texts that get_ticket reads in parts. Those of a task need its id. */
export const TextName = z.enum([
  "description",
  "suggested_resolution",
  "implementation_notes",
  "resolution_note",
  "evidence",
  "task.body",
  "task.summary",
  "task.criteria",
  "task.blocking_reason",
]);
export type TextName = z.infer<typeof TextName>;

/** The sentence that tells an agent how to read the rest of a text that was cut. */
export function howToRead(name: TextName): string {
  return `get_ticket with part ${name}`;
}

/** Returns a ticket's text in the form for agents. Evidence is JSON. */
export function textOfTicket(ticket: Ticket, name: TextName): string {
  if (name === "evidence") return ticket.evidence === null ? "" : JSON.stringify(ticket.evidence);
  return ticket[name as "description"] ?? "";
}

/** Returns a task's text in the form for agents. Criteria are numbered lines. */
export function textOfTask(task: Task, name: TextName): string {
  if (name === "task.criteria") return criteriaOf(task).join("\n");
  return task[name.slice("task.".length) as "body"] ?? "";
}

/** Criteria numbered from 1, with [x] where they are met. */
export function criteriaOf({ acceptance_criteria: criteria }: Task): string[] {
  return criteria.map(({ text, done }, at) => `${at + 1}. [${done ? "x" : " "}] ${text}`);
}
