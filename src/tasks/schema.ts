import { z } from "zod";
import { PARTS } from "../core/parts.ts";
import {
  distinct,
  Id,
  IdPage,
  line,
  NextCursor,
  queryBoolean,
  Role,
  text,
  Timestamp,
} from "../core/schema.ts";
import { IdempotencyKey, Replayed, Status, TicketId, TicketPath } from "../tickets/schema.ts";

export const MAX_TASKS = PARTS.task.most;

export const TaskStatus = z.enum(["pending", "in_progress", "blocked", "done", "skipped"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** The texts of a task with their limits. */
export const TaskTexts = {
  title: line(1, 200),
  body: text(0, 10_000).nullable(),
  summary: text(0, 2000).nullable(),
  blocking_reason: text(1, 2000).nullable(),
  criterion: text(1, 500),
};

export const SessionId = line(1, 128);

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
  ticket_id: TicketId.optional(),
  role: Role.optional(),
  status: z.enum([...TaskStatus.options, "unfinished"]).optional().describe(
    "unfinished: pending, in_progress or blocked",
  ),
  ready: queryBoolean.optional().describe(
    "Whether the caller may claim the task: it is pending, not given to anybody else, its dependencies are " +
      "finished, and its ticket is open",
  ),
  held: queryBoolean.optional().describe(
    "Whether the caller has claimed the task, under `session_id` if it is sent",
  ),
  session_id: SessionId.optional(),
});
export type ListProjectTasks = z.infer<typeof ListProjectTasks>;

/** A task in a list of tasks of several tickets. */
export const ProjectTask = Task.extend({ ticket_ref: z.string(), ticket_status: Status }).meta({
  id: "ProjectTask",
});
export type ProjectTask = z.infer<typeof ProjectTask>;

/** A ready ticket without tasks. */
export const TicketWithoutTasks = z.object({
  id: Id,
  ticket_ref: z.string(),
  title: z.string(),
  roles: z.array(Role).describe("Roles that are unfinished"),
}).meta({ id: "TicketWithoutTasks" });
export type TicketWithoutTasks = z.infer<typeof TicketWithoutTasks>;

export const ProjectTaskList = z.object({
  tasks: z.array(ProjectTask),
  next_cursor: NextCursor,
  tickets: z.array(TicketWithoutTasks).optional().describe(
    "Only on the first page of ready=true: the oldest ready tickets that have no tasks",
  ),
});

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

/** The most tasks of one call that adds several. */
const MAX_NEW = 100;

const NewTask = z.strictObject({
  ...CreateTask.pick({
    title: true,
    body: true,
    role: true,
    depends_on_task_ids: true,
    acceptance_criteria: true,
    estimated_minutes: true,
  }).shape,
  after: z.array(z.int().min(1).max(MAX_NEW)).max(MAX_NEW).optional().describe(
    "Numbers, from 1, of earlier tasks of this call that must be finished first",
  ),
});

export const CreateTasks = TicketPath.extend({
  tasks: z.array(NewTask).min(1).max(MAX_NEW),
  idempotency_key: IdempotencyKey.optional(),
});
export type CreateTasks = z.infer<typeof CreateTasks>;

export const CreatedTasks = z.object({ tasks: z.array(Task), ...Replayed }).meta({ id: "CreatedTasks" });
export type CreatedTasks = z.infer<typeof CreatedTasks>;

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
  session_id: SessionId.optional().describe(
    "The id under which an agent claimed the task, or claims it by starting it",
  ),
});
export type UpdateTask = z.infer<typeof UpdateTask>;

export const DeleteTask = TaskPath.extend({
  session_id: SessionId.optional().describe("The id under which an agent claimed the task"),
});
export type DeleteTask = z.infer<typeof DeleteTask>;

export const ReorderTasks = TicketPath.extend({
  task_ids: z.array(Id).max(MAX_TASKS).meta({ uniqueItems: true }).describe(
    "Every task of the ticket, once, in the desired order",
  ),
});
export type ReorderTasks = z.infer<typeof ReorderTasks>;

export const Reordered = z.object({ reordered: z.boolean() });

export const NextTask = TicketPath.extend({ role: Role.optional() });
export type NextTask = z.infer<typeof NextTask>;

export const ClaimTask = TaskPath.extend({
  session_id: SessionId.optional().describe(
    "The id to which the claim will belong; if absent, the caller's session or API key",
  ),
});
export type ClaimTask = z.infer<typeof ClaimTask>;

export const ClaimNext = z.strictObject({
  id: Id,
  ticket_id: TicketId.optional().describe("Only tasks of this ticket, in their order"),
  role: Role.optional(),
  session_id: SessionId.optional().describe(
    "The id to which the claim will belong; if absent, the caller's session or API key",
  ),
});
export type ClaimNext = z.infer<typeof ClaimNext>;

/** Why nothing can be claimed, in numbers of unfinished tasks. */
export const NoneReady = z.object({
  reason: z.string().describe("The numbers in words"),
  waiting_for_answers: z.int().describe("Blocked by a question, with tickets that wait for an answer"),
  blocked: z.int().describe("Blocked for another reason"),
  held: z.int().describe("In progress"),
  held_by_you: z.int().describe("How many of these the caller holds under this name"),
  held_until: Timestamp.nullable().describe("When the first of their leases ends"),
  waiting_for_tasks: z.int().describe("Waiting for other tasks of their ticket"),
  waited_for: z.array(z.string()).describe("Titles of some of the tasks that others wait for"),
  assigned_to_others: z.int(),
  in_blocked_tickets: z.int().describe("Pending tasks whose ticket waits for another one"),
  in_closed_tickets: z.int(),
  of_other_roles: z.int().describe("Ready tasks of roles that the call doesn't ask for"),
}).meta({ id: "NoneReady" });
export type NoneReady = z.infer<typeof NoneReady>;

export const ClaimedNext = z.object({
  claimed: ProjectTask.nullable(),
  none: NoneReady.nullable().describe("Why `claimed` is null"),
}).meta({ id: "ClaimedNext" });
export type ClaimedNext = z.infer<typeof ClaimedNext>;

export const ClaimPath = TaskPath.extend({
  session_id: SessionId.optional().describe(
    "The id to which the claim belongs; if absent, the caller's session or API key",
  ),
});
export type ClaimPath = z.infer<typeof ClaimPath>;
