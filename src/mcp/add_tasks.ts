import { z } from "zod";
import { invalidField } from "../core/errors.ts";
import { Role } from "../core/schema.ts";
import { CreateTask, MAX_CRITERIA, type Task, taskName, TaskTexts } from "../tasks/schema.ts";
import { IdempotencyKey } from "../tickets/schema.ts";
import { Ref } from "./_fields.ts";
import { defineTool } from "./tool.ts";

const MAX_AT_ONCE = 20;

const NewTask = z.strictObject({
  title: CreateTask.shape.title,
  body: CreateTask.shape.body.unwrap().unwrap().optional(),
  role: Role,
  criteria: z.array(TaskTexts.criterion).max(MAX_CRITERIA).optional(),
  after: z.array(z.int().min(1).max(MAX_AT_ONCE)).max(MAX_AT_ONCE).optional().describe(
    "Numbers, from 1, of earlier tasks of this call that must be finished first",
  ),
  estimated_minutes: CreateTask.shape.estimated_minutes.unwrap().unwrap().optional(),
});

export const addTasks = defineTool({
  name: "add_tasks",
  title: "Split a ticket into tasks",
  description:
    "Adds tasks behind the ticket's other tasks, in this order. With an idempotency_key a repeated call adds " +
    "nothing twice, and completes a call that ended halfway.",
  calls: ["tasks.create"],
  input: z.strictObject({
    ticket: Ref,
    tasks: z.array(NewTask).min(1).max(MAX_AT_ONCE),
    // Each task has a key of its own, which is made of this key and the task's number.
    idempotency_key: IdempotencyKey.refine(
      (key) => [...key].length <= 120,
      "Must have at most 120 characters",
    ).optional(),
  }),
  output: z.object({ tasks: z.array(z.object({ task_id: z.string() })) }),
  async run({ call, locate }, { ticket, tasks, idempotency_key: key }) {
    const address = await locate(ticket);
    refuseLaterOnes(tasks);
    const made: Task[] = [];
    for (const [at, { criteria = [], after = [], ...task }] of tasks.entries()) {
      const added = await call("tasks.create", {
        ...address,
        ...task,
        acceptance_criteria: criteria.map((text) => ({ text, done: false })),
        depends_on_task_ids: [...new Set(after)].map((number) => made[number - 1]!.id),
        idempotency_key: key && `${key}/${at + 1}`,
      });
      made.push(added);
    }
    return { tasks: made.map((task) => ({ task_id: taskName(address.ticketId, task) })) };
  },
});

/** A task can depend only on tasks that the call names before this task. */
function refuseLaterOnes(tasks: z.infer<typeof NewTask>[]): void {
  for (const [at, { after = [] }] of tasks.entries()) {
    const later = after.find((number) => number > at);
    if (later !== undefined) {
      throw invalidField(`tasks.${at}.after`, `Task ${later} does not come before task ${at + 1}`);
    }
  }
}
