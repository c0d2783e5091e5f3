import { z } from "zod";
import { invalidField } from "../core/errors.ts";
import { Role } from "../core/schema.ts";
import { type Task, TaskStatus } from "../tasks/schema.ts";
import { TestCaseStatus } from "../test_cases/schema.ts";
import {
  Priority,
  RequestType,
  ResolutionType,
  Ship,
  Stage,
  Status,
  type Ticket,
} from "../tickets/schema.ts";
import { cutText, partOf, rowsWithin } from "./_budget.ts";
import { Ref, TaskId } from "./_fields.ts";
import { criteriaMet, HeldTask, heldTask, rolesOf } from "./_rows.ts";
import { howToRead, TextName, textOfTask, textOfTicket } from "./_texts.ts";
import { type Caller, defineTool } from "./tool.ts";

/** Of one text in an answer about the whole ticket, and of a part of it alone. */
const TEXT_BYTES = 2_500;
const PART_BYTES = 16_000;
/** Of the rows of tasks and of test cases. */
const ROWS_BYTES = 5_000;

const TaskLine = z.object({
  task_id: z.string(),
  sequence: z.int(),
  title: z.string(),
  role: Role,
  status: TaskStatus,
  after: z.array(z.int()).optional().describe("Sequences of the tasks that come first"),
  criteria: z.string().describe("Met of all, such as 2/3"),
});

const Whole = z.object({
  version: z.int(),
  title: z.string(),
  description: z.string(),
  type: RequestType,
  priority: Priority,
  blocking: z.boolean(),
  stage: Stage,
  status: Status,
  ship: z.enum(Ship.options),
  roles: z.array(z.string()),
  suggested_resolution: z.string().nullable(),
  implementation_notes: z.string().nullable(),
  resolution_type: ResolutionType.nullable(),
  resolution_note: z.string().nullable(),
  evidence: z.string().nullable().describe("JSON"),
  url: z.string(),
  tasks: z.array(TaskLine),
  more_tasks: z.int().nullable().describe("Tasks left out"),
  test_cases: z.array(z.object({ title: z.string(), status: TestCaseStatus, note: z.string().nullable() })),
  more_test_cases: z.int().nullable().describe("Test cases left out"),
});

type Reading = Caller<"tickets.get" | "tasks.list" | "tasks.get" | "testCases.list">;

export const getTicket = defineTool({
  name: "get_ticket",
  title: "Read a ticket",
  description:
    "Reads a ticket with its tasks and test cases; with task_id one task instead. Long texts are cut and say how " +
    "to read on, with text and from.",
  calls: ["tickets.get"],
  optional: ["tasks.list", "tasks.get", "testCases.list"],
  input: z.strictObject({
    ticket: Ref,
    task_id: TaskId.optional(),
    text: TextName.optional(),
    from: z.int().min(0).default(0),
  }),
  output: z.object({
    ref: z.string(),
    ...Whole.partial().shape,
    task: HeldTask.optional(),
    text: z.string().optional(),
    next_from: z.int().nullable().optional().describe("Send as from for more"),
  }),
  async run(caller, { ticket: ref, task_id: taskId, text: name, from }) {
    const address = await caller.locate(ref);
    if (taskId !== undefined) {
      const task = await caller.call("tasks.get", { ...address, taskId });
      return {
        ref: ref.toUpperCase(),
        ...(name ? partOf(textOfTask(task, name), from, PART_BYTES) : { task: heldTask(task, ref) }),
      };
    }
    if (name?.startsWith("task.")) throw invalidField("task_id", `Needed to read ${name}`);
    const ticket = await caller.call("tickets.get", address);
    if (name) return { ref: ticket.ticket_ref, ...partOf(textOfTicket(ticket, name), from, PART_BYTES) };
    return {
      ref: ticket.ticket_ref,
      ...headOf(ticket),
      ...await tasksOf(caller, ticket),
      ...await casesOf(caller, ticket),
    };
  },
});

function headOf(ticket: Ticket) {
  const {
    version,
    title,
    request_type: type,
    priority,
    blocking,
    stage,
    status,
    ship,
    resolution_type,
    url,
  } = ticket;
  const short = (name: TextName) => cutText(textOfTicket(ticket, name), TEXT_BYTES, howToRead(name)) || null;
  return {
    version,
    title,
    description: short("description") ?? "",
    type,
    priority,
    blocking,
    stage,
    status,
    ship,
    roles: rolesOf(ticket),
    suggested_resolution: short("suggested_resolution"),
    implementation_notes: short("implementation_notes"),
    resolution_type,
    resolution_note: short("resolution_note"),
    evidence: short("evidence"),
    url,
  };
}

async function tasksOf({ call, may }: Reading, { id: ticketId, project_id: id }: Ticket) {
  if (!may("tasks.list")) return {};
  const { tasks } = await call("tasks.list", { id, ticketId });
  const sequences = new Map(tasks.map((task) => [task.id, task.sequence]));
  const { rows, more } = rowsWithin(tasks.map((task) => lineOf(task, sequences)), ROWS_BYTES);
  return { tasks: rows, more_tasks: more };
}

function lineOf(task: Task, sequences: ReadonlyMap<string, number>): z.infer<typeof TaskLine> {
  const { id: task_id, sequence, title, role, status, depends_on_task_ids: dependencies } = task;
  const after = dependencies.flatMap((id) => sequences.get(id) ?? []);
  return {
    task_id,
    sequence,
    title,
    role,
    status,
    ...(after.length > 0 && { after }),
    criteria: criteriaMet(task),
  };
}

async function casesOf({ call, may }: Reading, { id: ticketId, project_id: id }: Ticket) {
  if (!may("testCases.list")) return {};
  const { cases } = await call("testCases.list", { id, ticketId });
  const { rows, more } = rowsWithin(
    cases.map(({ title, status, note }) => ({
      title,
      status,
      note: cutText(note, 400, "a person sees the rest"),
    })),
    ROWS_BYTES,
  );
  return { test_cases: rows, more_test_cases: more };
}
