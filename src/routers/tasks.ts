import { claimTask } from "../tasks/claim.ts";
import { createTask } from "../tasks/create.ts";
import { deleteTask } from "../tasks/delete.ts";
import { getTask } from "../tasks/get.ts";
import { heartbeatTask } from "../tasks/heartbeat.ts";
import { listTasks } from "../tasks/list.ts";
import { listProjectTasks } from "../tasks/list_project_tasks.ts";
import { nextTask } from "../tasks/next.ts";
import { releaseTask } from "../tasks/release.ts";
import { reorderTasks } from "../tasks/reorder.ts";
import {
  ClaimPath,
  ClaimTask,
  CreatedTask,
  CreateTask,
  ListProjectTasks,
  NextTask,
  ProjectTaskList,
  Reordered,
  ReorderTasks,
  Task,
  TaskList,
  TaskPath,
  UpdateTask,
} from "../tasks/schema.ts";
import { updateTask } from "../tasks/update.ts";
import { TicketPath } from "../tickets/schema.ts";
import { fields } from "./conditions.ts";
import { Nothing, projectProcedure, REPEATED, router } from "./trpc.ts";

const read = { access: "viewer", scope: "tasks:read", tag: "Tasks" } as const;
const write = { access: "member", scope: "tasks:write", tag: "Tasks" } as const;
const tasks = "/projects/{id}/tickets/{ticketId}/tasks";

const WHOSE_CLAIM =
  "With `session_id` the call means only the claim that is kept under that id. Without it the call means any " +
  "claim of the caller; with an API key, none that is kept under another key.";

export const tasksRouter = router({
  list: projectProcedure({
    ...read,
    method: "GET",
    path: tasks,
    summary: "List a ticket's tasks in their order",
    errors: ["not_found"],
  }).input(TicketPath).output(TaskList).query(({ ctx, input }) => listTasks(ctx, input)),

  listOfProject: projectProcedure({
    ...read,
    method: "GET",
    path: "/projects/{id}/tasks",
    summary: "List the tasks of all tickets of a project, oldest first",
    description:
      "For a user's own work use `assignee_user_id` with `status=unfinished`; for tasks that a bot may claim use " +
      "`ready=true`. Tasks of closed tickets are listed too, but never ready.",
  }).input(ListProjectTasks).output(ProjectTaskList).query(({ ctx, input }) => listProjectTasks(ctx, input)),

  create: projectProcedure({
    ...write,
    method: "POST",
    path: tasks,
    statusOf: (task: CreatedTask) => task._idempotent_replay ? 200 : 201,
    summary: "Add a task behind the others",
    description: REPEATED,
    location: (task: CreatedTask, input: CreateTask) =>
      `/projects/${input.id}/tickets/${input.ticketId}/tasks/${task.id}`,
    errors: ["not_found", "conflict"],
    example: {
      input: {
        title: "Stream the upload in parts",
        role: "backend",
        acceptance_criteria: [{ text: "A file of 3 GB arrives whole", done: false }],
        estimated_minutes: 90,
      },
    },
  }).input(CreateTask).output(CreatedTask).mutation(({ ctx, input }) => createTask(ctx, input)),

  reorder: projectProcedure({
    ...write,
    method: "POST",
    path: `${tasks}/reorder`,
    summary: "Put a ticket's tasks into another order",
    description:
      "`task_ids` names every task of the ticket once; missing, foreign and doubled ids are named in `fieldErrors`.",
    errors: ["not_found"],
    example: {
      input: { task_ids: ["0190d3c1-7f02-7c3e-9b64-2a1de8c05f37", "0190d3c1-6c7a-7bd1-a0f5-6d1f3c2b9e10"] },
    },
  }).input(ReorderTasks).output(Reordered).mutation(({ ctx, input }) => reorderTasks(ctx, input)),

  next: projectProcedure({
    ...read,
    method: "GET",
    path: `${tasks}/next`,
    summary: "Get the next task that I may claim",
    description:
      "Gets the first pending task whose dependencies are finished and that was not given to anybody else; 404 " +
      "if there is none.",
    errors: ["not_found"],
  }).input(NextTask).output(Task).query(({ ctx, input }) => nextTask(ctx, input)),

  get: projectProcedure({
    ...read,
    method: "GET",
    path: `${tasks}/{taskId}`,
    summary: "Get a task",
    errors: ["not_found"],
  }).input(TaskPath).output(Task).query(({ ctx, input }) => getTask(ctx, input)),

  update: projectProcedure({
    ...write,
    method: "PATCH",
    path: `${tasks}/{taskId}`,
    summary: "Change a task",
    description:
      "Changes only the fields that are sent; null clears an optional one. A task that becomes pending again is " +
      "free for anybody: it has no assignee and no times, unless the call sets them. A claimed task that was " +
      "blocked and is in_progress again has 15 minutes until its next heartbeat. A claim does not stop others " +
      "from changing the task. With the ETag from the answer to the claim, which heartbeats do not change, " +
      "If-Match stops the caller from changing a task that somebody else has claimed since. Honours If-Match " +
      "with the task's ETag.",
    errors: ["not_found", "invalid_transition", "dependencies_unfinished", "version_conflict"],
    conditions: {
      if: fields({ status: { not: { const: "blocked" } } }, ["status"]),
      then: fields({ blocking_reason: { const: null } }),
    },
    example: { input: { status: "blocked", blocking_reason: "Waits for the new bucket" } },
  }).input(UpdateTask).output(Task).mutation(({ ctx, input }) => updateTask(ctx, input)),

  delete: projectProcedure({
    ...write,
    method: "DELETE",
    path: `${tasks}/{taskId}`,
    status: 204,
    summary: "Delete a task",
    description:
      "The tasks behind the deleted one move up, and no task depends on it any more. Honours If-Match with the task's ETag.",
    errors: ["not_found", "version_conflict"],
  }).input(TaskPath).output(Nothing).mutation(({ ctx, input }) => deleteTask(ctx, input)),

  claim: projectProcedure({
    ...write,
    method: "POST",
    path: `${tasks}/{taskId}/claim`,
    summary: "Claim a pending task",
    description:
      "If several callers claim the task, exactly one gets it, for 15 minutes; a heartbeat extends that. The " +
      "claim is kept under `session_id`, or else under the caller's session or API key. If the task is taken, " +
      "`details.current` tells who has it, so that after a lost answer the caller can see whether the claim " +
      "succeeded. Honours If-Match with the task's ETag.",
    errors: [
      "not_found",
      "version_conflict",
      "already_claimed",
      "dependencies_unfinished",
      "invalid_transition",
      "conflict",
    ],
    example: { input: { session_id: "bc_3f1c8f6e" } },
  }).input(ClaimTask).output(Task).mutation(({ ctx, input }) => claimTask(ctx, input)),

  heartbeat: projectProcedure({
    ...write,
    method: "POST",
    path: `${tasks}/{taskId}/heartbeat`,
    summary: "Keep a claimed task for another 15 minutes",
    description: WHOSE_CLAIM,
    errors: ["not_found", "version_conflict", "already_claimed", "invalid_transition"],
    example: { input: { session_id: "bc_3f1c8f6e" } },
  }).input(ClaimPath).output(Task).mutation(({ ctx, input }) => heartbeatTask(ctx, input)),

  release: projectProcedure({
    ...write,
    method: "POST",
    path: `${tasks}/{taskId}/release`,
    summary: "Give a claimed task back",
    description: `Admins of the project may give back another user's claim. ${WHOSE_CLAIM}`,
    errors: ["not_found", "version_conflict", "already_claimed", "invalid_transition"],
    example: { input: { session_id: "bc_3f1c8f6e" } },
  }).input(ClaimPath).output(Task).mutation(({ ctx, input }) => releaseTask(ctx, input)),
});
