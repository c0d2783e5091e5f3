import { z } from "zod";
import { distinct, Id, IdPage, NextCursor, queryBoolean, Role, text, Timestamp } from "../core/schema.ts";
import { IdempotencyKey, Replayed, Status, TicketPath } from "../tickets/schema.ts";

/** The most tasks of a ticket. The list of its tasks has no pages, and a reorder names them all. */
export const MAX_TASKS = 500;

export const TaskStatus = z.enum(["pending", "in_progress", "blocked", "done", "skipped"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** The texts of a task with their limits. */
export const TaskTexts = {
  title: text(1, 200),
  body: text(0, 10_000).nullable(),
  summary: text(0, 2000).nullable(),
  blocking_reason: text(1, 2000).nullable(),
  criterion: text(1, 500),
};

export const MAX_CRITERIA = 50;
const Criterion = z.strictObject({ text: TaskTexts.criterion, done: z.boolean().default(false) });
const Criteria = z.array(Criterion).max(MAX_CRITERIA);
export const DependsOn = z.array(Id).max(100);
const Dependencies = distinct(DependsOn, "a task");
export const MAX_MINUTES = 1_000_000;
export const Minutes = z.int().min(0).max(MAX_MINUTES);

/** A task's name, which is its ticket's ref and its number, such as HO-12/3; or its id. */
export const TaskName = z.string().regex(
  new RegExp(`${z.regexes.guid.source}|^[A-Za-z][A-Za-z0-9]{1,9}-[1-9]\\d{0,8}/[1-9]\\d{0,8}$`),
  "Expected a task's name such as HO-12/3, or its id",
);

/** The name that people and agents use for a task of the ticket with this ref. */
export function taskName(ref: string, { number }: { number: number }): string {
  return `${ref}/${number}`;
}

export const Task = z.object({
  id: Id,
  handoff_request_id: Id.describe("The ticket that the task belongs to"),
  project_id: Id,
  number: z.int().describe("Number in the ticket, as in HO-12/3. It never changes and is never given again"),
  sequence: z.int().describe("Place among the ticket's tasks, from 1 without gaps"),
  title: z.string(),
  body: z.string().nullable(),
  summary: z.string().nullable(),
  role: Role,
  status: TaskStatus,
  assignee_user_id: Id.nullable(),
  assignee_session_id: z.string().nullable().describe(
    "The id to which the claim belongs: a session, an API key, or the `session_id` of the claiming call",
  ),
  depends_on_task_ids: z.array(Id),
  acceptance_criteria: z.array(z.object({ text: z.string(), done: z.boolean() })),
  estimated_minutes: z.int().nullable(),
  actual_minutes: z.int().nullable(),
  blocking_reason: z.string().nullable(),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
  lease_expires_at: Timestamp.nullable().describe("When the claim ends unless a heartbeat extends it"),
  version: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Task" });
export type Task = z.infer<typeof Task>;

export const CreatedTask = Task.extend(Replayed).meta({ id: "CreatedTask" });
export type CreatedTask = z.infer<typeof CreatedTask>;

/** A task in a list without pages. */
export const ListedTask = Task.extend({
  left_out: z.array(z.string()).optional().describe(
    "Texts that are left out, because the list would have more than 2 MiB of text; get the task to read them",
  ),
}).meta({ id: "ListedTask" });
export type ListedTask = z.infer<typeof ListedTask>;

export const TaskList = z.object({ tasks: z.array(ListedTask) });

export const ListProjectTasks = IdPage.extend({
  assignee_user_id: Id.optional(),
  role: Role.optional(),
  status: z.enum([...TaskStatus.options, "unfinished"]).optional().describe(
    "unfinished: pending, in_progress or blocked",
  ),
  ready: queryBoolean.optional().describe(
    "Whether the caller may claim the task: it is pending, not given to anybody else, its dependencies are " +
      "finished, and its ticket is open",
  ),
});
export type ListProjectTasks = z.infer<typeof ListProjectTasks>;

/** A task in a list of tasks of several tickets. */
export const ProjectTask = Task.extend({ ticket_ref: z.string(), ticket_status: Status }).meta({
  id: "ProjectTask",
});
export type ProjectTask = z.infer<typeof ProjectTask>;

export const ProjectTaskList = z.object({ tasks: z.array(ProjectTask), next_cursor: NextCursor });

export const TaskPath = TicketPath.extend({ taskId: Id });
export type TaskPath = z.infer<typeof TaskPath>;

export const CreateTask = TicketPath.extend({
  title: TaskTexts.title,
  body: TaskTexts.body.optional(),
  summary: TaskTexts.summary.optional(),
  role: Role,
  depends_on_task_ids: Dependencies.optional(),
  acceptance_criteria: Criteria.optional(),
  estimated_minutes: Minutes.nullable().optional(),
  assignee_user_id: Id.nullable().optional(),
  idempotency_key: IdempotencyKey.optional(),
});
export type CreateTask = z.infer<typeof CreateTask>;

export const UpdateTask = TaskPath.extend({
  title: TaskTexts.title.optional(),
  body: TaskTexts.body.optional(),
  summary: TaskTexts.summary.optional(),
  role: Role.optional(),
  status: TaskStatus.optional(),
  blocking_reason: TaskTexts.blocking_reason.optional().describe("Required when the task becomes blocked"),
  assignee_user_id: Id.nullable().optional(),
  depends_on_task_ids: Dependencies.nullable().optional().describe("The complete new list"),
  acceptance_criteria: Criteria.nullable().optional().describe(
    "The complete new list; send all criteria even to tick one",
  ),
  estimated_minutes: Minutes.nullable().optional(),
  actual_minutes: Minutes.nullable().optional(),
});
export type UpdateTask = z.infer<typeof UpdateTask>;

export const ReorderTasks = TicketPath.extend({
  task_ids: z.array(Id).max(MAX_TASKS).meta({ uniqueItems: true }).describe(
    "Every task of the ticket, once, in the desired order",
  ),
});
export type ReorderTasks = z.infer<typeof ReorderTasks>;

export const Reordered = z.object({ reordered: z.boolean() });

export const NextTask = TicketPath.extend({ role: Role.optional() });
export type NextTask = z.infer<typeof NextTask>;

const SessionId = text(1, 128);

export const ClaimTask = TaskPath.extend({
  session_id: SessionId.optional().describe(
    "The id to which the claim will belong; if absent, the caller's session or API key",
  ),
});
export type ClaimTask = z.infer<typeof ClaimTask>;

export const ClaimPath = TaskPath.extend({
  session_id: SessionId.optional().describe(
    "The id to which the claim belongs; if absent, the caller's session or API key",
  ),
});
export type ClaimPath = z.infer<typeof ClaimPath>;
