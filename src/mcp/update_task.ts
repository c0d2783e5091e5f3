import { z } from "zod";
import { invalidField } from "../core/errors.ts";
import { MAX_CRITERIA, type Task, TaskStatus, UpdateTask } from "../tasks/schema.ts";
import { Ref, TaskId, Version } from "./_fields.ts";
import { criteriaMet } from "./_rows.ts";
import { defineTool } from "./tool.ts";

const shape = UpdateTask.shape;

export const updateTask = defineTool({
  name: "update_task",
  title: "Report on a task",
  description:
    "Reports a task's status, a summary of your work, and the criteria that are met. Reporting on a task that " +
    "you hold extends the claim. blocked needs a blocking_reason; if a person must decide, use ask_human instead.",
  calls: ["tasks.update", "tasks.get", "tasks.heartbeat"],
  input: z.strictObject({
    ticket: Ref.optional(),
    task_id: TaskId,
    status: TaskStatus.optional(),
    blocking_reason: shape.blocking_reason.unwrap().unwrap().optional(),
    summary: shape.summary.unwrap().unwrap().optional(),
    criteria_done: z.array(z.int().min(1).max(MAX_CRITERIA)).max(MAX_CRITERIA).optional().describe(
      "Numbers, from 1, of the criteria that are met",
    ),
    actual_minutes: shape.actual_minutes.unwrap().unwrap().optional(),
    version: Version,
  }),
  output: z.object({
    task_id: z.string(),
    version: z.int(),
    status: TaskStatus,
    criteria: z.string().describe("Number of met criteria and of all criteria, such as 2/3"),
    lease_expires_at: z.string().nullable(),
  }),
  async run({ call, locateTask, userId }, { ticket, task_id, criteria_done: met, version, ...changes }) {
    const { path: address, name } = await locateTask({ ticket, task_id });
    const before = met && await call("tasks.get", address);
    const criteria = before && { acceptance_criteria: withMet(before, met) };
    // If the caller names no version, the change applies to the version that was just read, because
    // another caller's criteria must not be overwritten.
    const ifMatch = version ?? before?.version;
    const task = await call("tasks.update", { ...address, ...changes, ...criteria }, { ifMatch });
    const isHeld = task.lease_expires_at !== null && task.assignee_user_id === userId;
    const kept = isHeld
      ? await call("tasks.heartbeat", { ...address, session_id: task.assignee_session_id ?? undefined })
      : task;
    const { status, lease_expires_at } = kept;
    return { task_id: name, version: task.version, status, criteria: criteriaMet(task), lease_expires_at };
  },
});

function withMet({ acceptance_criteria: criteria }: Task, met: number[]): Task["acceptance_criteria"] {
  const beyond = met.find((number) => number > criteria.length);
  if (beyond !== undefined) {
    throw invalidField("criteria_done", `The task has ${criteria.length} criteria, not ${beyond}`);
  }
  return criteria.map((criterion, at) => ({ ...criterion, done: criterion.done || met.includes(at + 1) }));
}
