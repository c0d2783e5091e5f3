import { z } from "zod";
import { invalidField } from "../core/errors.ts";
import { MAX_CRITERIA, MAX_TASKS, type Task, TaskStatus, TaskTexts, UpdateTask } from "../tasks/schema.ts";
import { isFinished } from "../tasks/transitions.ts";
import { Agent, Ref, TaskId, Version } from "./_fields.ts";
import { nextStep } from "./_next.ts";
import { criteriaMet } from "./_rows.ts";
import { type Caller, defineTool } from "./tool.ts";

const shape = UpdateTask.shape;

export const updateTask = defineTool({
  name: "update_task",
  title: "Report on a task",
  description:
    "Reports status, summary and met criteria, and extends your claim; or revises a free task. in_progress claims it. " +
    "blocked needs a blocking_reason; if a person must decide, use ask_human.",
  calls: ["tasks.update", "tasks.get", "tasks.list", "tasks.reorder"],
  optional: ["tickets.get"],
  input: z.strictObject({
    ticket: Ref.optional(),
    task_id: TaskId,
    status: TaskStatus.optional(),
    title: shape.title,
    body: shape.body.unwrap().unwrap().optional(),
    role: shape.role,
    criteria: z.array(TaskTexts.criterion).max(MAX_CRITERIA).optional().describe("New list"),
    after: z.array(TaskId).max(100).optional().describe("Tasks to finish first"),
    place: z.int().min(1).max(MAX_TASKS).optional().describe("New place"),
    blocking_reason: shape.blocking_reason.unwrap().unwrap().optional(),
    summary: shape.summary.unwrap().unwrap().optional(),
    criteria_done: z.array(z.int().min(1).max(MAX_CRITERIA)).max(MAX_CRITERIA).optional().describe(
      "Numbers from 1",
    ),
    actual_minutes: shape.actual_minutes.unwrap().unwrap().optional(),
    agent: Agent,
    version: Version,
  }),
  output: z.object({
    task_id: z.string(),
    version: z.int(),
    status: TaskStatus,
    criteria: z.string().describe("Number of met criteria and of all criteria, such as 2/3"),
    lease_expires_at: z.string().nullable(),
    next: z.string().optional(),
  }),
  async run(
    caller,
    { ticket, task_id, criteria_done: met, criteria: texts, after, place, agent, version, ...changes },
  ) {
    const { call, locateTask } = caller;
    const { path: address, name } = await locateTask({ ticket, task_id });
    const before = (met ?? texts) && await call("tasks.get", address);
    const criteria = before && { acceptance_criteria: withMet(withTexts(before, texts), met ?? []) };
    const depends = after && { depends_on_task_ids: await idsOf(caller, after) };
    // If the caller names no version, the change applies to the version that was just read, because
    // another caller's criteria must not be overwritten.
    const ifMatch = version ?? before?.version;
    const report = { ...address, ...changes, ...criteria, ...depends, session_id: agent };
    const updated = await call("tasks.update", report, { ifMatch });
    const task = place === undefined ? updated : await moveTo(caller, updated, place);
    const { status, lease_expires_at } = task;
    return {
      task_id: name,
      version: task.version,
      status,
      criteria: criteriaMet(task),
      lease_expires_at,
      ...(isFinished({ status }) && changes.status !== undefined && caller.may("tickets.get") &&
        { next: nextStep(await call("tickets.get", { id: address.id, ticketId: address.ticketId })) }),
    };
  },
});

type Planning = Caller<"tasks.list" | "tasks.reorder" | "tasks.get">;

/** Finds the ids of tasks that are named like HO-12/3. */
async function idsOf({ locateTask }: Planning, names: string[]): Promise<string[]> {
  const found = await Promise.all(names.map((task_id) => locateTask({ task_id })));
  return [...new Set(found.map(({ path }) => path.taskId))];
}

/** Puts a task at a place in its ticket's order. */
async function moveTo(
  { call }: Planning,
  { project_id: id, handoff_request_id: ticketId, id: taskId }: Task,
  place: number,
): Promise<Task> {
  const { tasks } = await call("tasks.list", { id, ticketId });
  const others = tasks.map((task) => task.id).filter((other) => other !== taskId);
  await call("tasks.reorder", { id, ticketId, task_ids: others.toSpliced(place - 1, 0, taskId) });
  return await call("tasks.get", { id, ticketId, taskId });
}

/** Gives a task other criteria. A criterion that stays as it is stays met. */
function withTexts(
  { acceptance_criteria: criteria }: Task,
  texts: string[] | undefined,
): Task["acceptance_criteria"] {
  return texts?.map((text) => ({
    text,
    done: criteria.some((before) => before.done && before.text === text),
  })) ?? criteria;
}

function withMet(criteria: Task["acceptance_criteria"], met: number[]): Task["acceptance_criteria"] {
  const beyond = met.find((number) => number > criteria.length);
  if (beyond !== undefined) {
    throw invalidField("criteria_done", `The task has ${criteria.length} criteria, not ${beyond}`);
  }
  return criteria.map((criterion, at) => ({ ...criterion, done: criterion.done || met.includes(at + 1) }));
}
