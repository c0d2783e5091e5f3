import { claimTask } from "../tasks/claim.ts";
import { claimNext } from "../tasks/claim_next.ts";
import { createTask } from "../tasks/create.ts";
import { createManyTasks } from "../tasks/create_many.ts";
import { deleteTask } from "../tasks/delete.ts";
import { getTask } from "../tasks/get.ts";
import { heartbeatTask } from "../tasks/heartbeat.ts";
import { listTasks } from "../tasks/list.ts";
import { listProjectTasks } from "../tasks/list_project_tasks.ts";
import { nextTask } from "../tasks/next.ts";
import { releaseTask } from "../tasks/release.ts";
import { reorderTasks } from "../tasks/reorder.ts";
import {
  ClaimedNext,
  ClaimNext,
  ClaimPath,
  ClaimTask,
  CreatedTask,
  CreatedTasks,
  CreateTask,
  CreateTasks,
  DeleteTask,
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
import { takeOverTask } from "../tasks/take_over.ts";
import { updateTask } from "../tasks/update.ts";
import { TicketPath } from "../tickets/schema.ts";
import { fields } from "./conditions.ts";
import { Nothing, projectProcedure, REPEATED, router } from "./trpc.ts";

const read = { access: "viewer", scope: "tasks:read", tag: "Tasks" } as const;
const write = { access: "member", scope: "tasks:write", tag: "Tasks" } as const;
const tasks = "/projects/{id}/tickets/{ticketId}/tasks";

const WHOSE_CLAIM =
  "An agent's claim belongs to its API key and to the `session_id` that it gave, so the call needs both. A person's " +
  "call without `session_id` means any claim of theirs, also one of their agents.";

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
      "`ready=true`. Tasks of closed tickets are listed too, but never ready. The first page of `ready=true` also lists " +
      "ready tickets that have no tasks; to claim the next task of such a ticket makes the task.",
  }).input(ListProjectTasks).output(ProjectTaskList).query(({ ctx, input }) => listProjectTasks(ctx, input)),

  claimNext: projectProcedure({
    ...write,
    method: "POST",
    path: "/projects/{id}/tasks/claim",
    summary: "Claim the next ready task",
    description:
      "Gives the caller the oldest ready task of the project, or the first one of a ticket. If many callers call at " +
      "once, each gets another task. A ready ticket without tasks counts as one task, which the claim makes of its " +
      "title. If nothing is ready, `claimed` is null and `none` tells why.",
    errors: ["not_found", "unavailable"],
    example: { input: { role: "backend", session_id: "bc_3f1c8f6e" } },
  }).input(ClaimNext).output(ClaimedNext).mutation(({ ctx, input }) => claimNext(ctx, input)),

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

  createMany: projectProcedure({
    ...write,
    method: "POST",
    path: `${tasks}/batch`,
    statusOf: (made: CreatedTasks) => made._idempotent_replay ? 200 : 201,
    summary: "Add several tasks behind the others, all or none",
    description:
      `A task may depend on earlier tasks of the call and on the ticket's other tasks. ${REPEATED}`,
    location: (_: CreatedTasks, input: CreateTasks) =>
      `/projects/${input.id}/tickets/${input.ticketId}/tasks`,
    errors: ["not_found", "conflict"],
    example: {
      input: {
        tasks: [
          { title: "Stream the upload in parts", role: "backend" },
          { title: "Show progress", role: "frontend", after: [1] },
        ],
      },
    },
  }).input(CreateTasks).output(CreatedTasks).mutation(({ ctx, input }) => createManyTasks(ctx, input)),

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
      "free for anybody: it has no assignee and no times, unless the call sets them. An agent's claim that was " +
      "blocked and is in_progress again has 15 minutes until its next heartbeat. An API key claims the task that it " +
      "starts, and a report extends its claim. It may not change a task that somebody else holds: `already_claimed` " +
      "tells who and until when, and the report of a former holder becomes a comment on the ticket. People may change " +
      "any task. Honours If-Match with the task's ETag.",
    errors: [
      "not_found",
      "invalid_transition",
      "dependencies_unfinished",
      "already_claimed",
      "ticket_blocked",
      "conflict",
      "version_conflict",
    ],
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
    errors: ["not_found", "already_claimed", "version_conflict"],
  }).input(DeleteTask).output(Nothing).mutation(({ ctx, input }) => deleteTask(ctx, input)),

  claim: projectProcedure({
    ...write,
    method: "POST",
    path: `${tasks}/{taskId}/claim`,
    summary: "Claim a pending task",
    description:
      "If several callers claim the task, exactly one gets it: an API key for 15 minutes, which a heartbeat or report " +
      "extends, and a person until they give it back. The claim belongs to the credential and to `session_id`, or else " +
      "the credential alone. If the task is taken, `details.current` tells who has it, and `details.yours` whether it is " +
      "the caller, so that a lost answer does no harm. Honours If-Match with the task's ETag.",
    errors: [
      "not_found",
      "version_conflict",
      "already_claimed",
      "dependencies_unfinished",
      "ticket_blocked",
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

  takeOver: projectProcedure({
    ...write,
    method: "POST",
    path: `${tasks}/{taskId}/take-over`,
    summary: "Take over a task from its holder",
    description:
      "Only for people. The task is the caller's until they give it back, and its former holder is notified. A blocked " +
      "task stays blocked. Honours If-Match with the task's ETag.",
    errors: ["not_found", "version_conflict", "already_claimed", "invalid_transition"],
  }).input(TaskPath).output(Task).mutation(({ ctx, input }) => takeOverTask(ctx, input)),
});
