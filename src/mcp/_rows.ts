import { z } from "zod";
import { Role } from "../core/schema.ts";
import { type Task, taskName, TaskStatus, type TicketWithoutTasks } from "../tasks/schema.ts";
import { Priority, RequestType, Stage, type TicketSummary } from "../tickets/schema.ts";
import { cutText } from "./_budget.ts";
import { PlanRow, planRow } from "./_plan.ts";
import { criteriaOf, howToRead } from "./_texts.ts";

/** A ticket as a list shows it. */
export const TicketRow = z.object({
  ref: z.string(),
  title: z.string(),
  type: RequestType,
  priority: Priority,
  blocking: z.boolean(),
  stage: Stage,
  roles: z.array(z.string()).describe("role:status"),
  ...PlanRow,
  updated_at: z.string(),
});

export function ticketRow(ticket: TicketSummary): z.infer<typeof TicketRow> {
  return {
    ref: ticket.ticket_ref,
    title: ticket.title,
    type: ticket.request_type,
    priority: ticket.priority,
    blocking: ticket.blocking,
    stage: ticket.stage,
    roles: rolesOf(ticket),
    ...planRow(ticket),
    updated_at: ticket.updated_at,
  };
}

/** Each role of a ticket with its status, such as `backend:done`. */
export function rolesOf({ roles }: Pick<TicketSummary, "roles">): string[] {
  return roles.map(({ role, status }) => `${role}:${status}`);
}

/** A task as a list shows it. */
export const TaskRow = z.object({
  task_id: z.string(),
  ticket: z.string(),
  title: z.string(),
  role: Role,
  status: TaskStatus,
  mine: z.boolean().describe("Assigned to the user of this key"),
});

export function taskRow(task: Task & { ticket_ref: string }, userId: string): z.infer<typeof TaskRow> {
  return {
    task_id: taskName(task.ticket_ref, task),
    ticket: task.ticket_ref,
    title: task.title,
    role: task.role,
    status: task.status,
    mine: task.assignee_user_id === userId,
  };
}

/** A ready ticket without tasks, as a list shows it. */
export const WithoutTasksRow = z.object({
  ticket: z.string(),
  title: z.string(),
  roles: z.array(z.string()),
});

export function withoutTasksRow(
  { ticket_ref: ticket, title, roles }: TicketWithoutTasks,
): z.infer<typeof WithoutTasksRow> {
  return { ticket, title, roles };
}

/** A claimed task as its holder works on it. */
export const HeldTask = z.object({
  task_id: z.string(),
  ticket: z.string(),
  version: z.int(),
  title: z.string(),
  body: z.string().nullable(),
  criteria: z.array(z.string()).describe("Numbered from 1, with [x] where met"),
  status: TaskStatus,
  lease_expires_at: z.string().nullable().describe("The claim ends at this time, unless you report before"),
});

export function heldTask(task: Task, ref: string): z.infer<typeof HeldTask> {
  return {
    task_id: taskName(ref, task),
    ticket: ref,
    version: task.version,
    title: task.title,
    body: cutText(task.body, 8_000, howToRead("task.body")),
    criteria: criteriaOf(task).map((criterion) => cutText(criterion, 200, howToRead("task.criteria"))),
    status: task.status,
    lease_expires_at: task.lease_expires_at,
  };
}

/** The number of a task's criteria that are met, such as `2/3`. */
export function criteriaMet({ acceptance_criteria: criteria }: Task): string {
  return `${criteria.filter(({ done }) => done).length}/${criteria.length}`;
}

/** A task that the caller holds, as the overview shows it. */
export const HeldRow = z.object({
  task_id: z.string(),
  ticket: z.string(),
  title: z.string(),
  status: TaskStatus,
  agent: z.string().nullable().describe("Name to which the claim belongs"),
  lease_expires_at: z.string().nullable(),
});

export function heldRow(task: Task & { ticket_ref: string }): z.infer<typeof HeldRow> {
  const { ticket_ref: ticket, title, status, assignee_session_id: agent, lease_expires_at } = task;
  return { task_id: taskName(ticket, task), ticket, title, status, agent, lease_expires_at };
}
