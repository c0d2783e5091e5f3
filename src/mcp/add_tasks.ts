import { z } from "zod";
import { Role } from "../core/schema.ts";
import { CreateTask, MAX_CRITERIA, taskName, TaskTexts } from "../tasks/schema.ts";
import { IdempotencyKey } from "../tickets/schema.ts";
import { Ref, TaskId } from "./_fields.ts";
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
  after_tasks: z.array(TaskId).max(MAX_AT_ONCE).optional().describe("The same for the ticket's other tasks"),
  estimated_minutes: CreateTask.shape.estimated_minutes.unwrap().unwrap().optional(),
});

export const addTasks = defineTool({
  name: "add_tasks",
  title: "Split a ticket into tasks",
  description:
    "Adds tasks behind the ticket's other tasks, in this order, all or none. With an idempotency_key a repeated call " +
    "adds nothing twice.",
  calls: ["tasks.createMany"],
  input: z.strictObject({
    ticket: Ref,
    tasks: z.array(NewTask).min(1).max(MAX_AT_ONCE),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z.object({ tasks: z.array(z.object({ task_id: z.string() })) }),
  async run({ call, locate, locateTask }, { ticket, tasks, idempotency_key }) {
    const address = await locate(ticket);
    const idOf = async (task_id: string) => (await locateTask({ ticket, task_id })).path.taskId;
    const drafts = await Promise.all(tasks.map(async ({ criteria = [], after_tasks = [], ...task }) => ({
      ...task,
      acceptance_criteria: criteria.map((text) => ({ text, done: false })),
      depends_on_task_ids: await Promise.all(after_tasks.map(idOf)),
    })));
    const made = await call("tasks.createMany", { ...address, tasks: drafts, idempotency_key });
    return { tasks: made.tasks.map((task) => ({ task_id: taskName(address.ticketId, task) })) };
  },
});
