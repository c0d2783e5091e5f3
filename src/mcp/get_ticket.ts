import { z } from "zod";
import { invalidField } from "../core/errors.ts";
import { Role } from "../core/schema.ts";
import { type Task, taskName, TaskStatus } from "../tasks/schema.ts";
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
import { cutText, pageWithin, partOf, rowsWithin } from "./_budget.ts";
import { cursor, NextCursor, Ref, TaskId } from "./_fields.ts";
import { criteriaMet, HeldTask, heldTask, rolesOf } from "./_rows.ts";
import { howToRead, TextName, textOfTask, textOfTicket } from "./_texts.ts";
import { type Caller, defineTool, type TicketAddress } from "./tool.ts";

/**
 * The most bytes of a text, in an answer about the whole ticket and in an answer with a part of
 * this text alone.
 */
const TEXT_BYTES = 2_500;
const PART_BYTES = 16_000;
const COMMENT_BYTES = 10_000;
/** The most bytes of the task rows together, and of the test case rows together. */
const ROWS_BYTES = 5_000;

const TaskLine = z.object({
  task_id: z.string(),
  title: z.string(),
  role: Role,
  status: TaskStatus,
  after: z.array(z.string()).optional().describe("Tasks that must be finished first"),
  criteria: z.string().describe("Number of met criteria and of all criteria, such as 2/3"),
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

const CommentLine = z.object({
  comment_id: z.string(),
  by: z.string(),
  is_agent: z.boolean(),
  at: z.string(),
  body: z.string().describe("Empty if it was deleted"),
});

type Reading = Caller<"tickets.get" | "tasks.list" | "tasks.get" | "testCases.list" | "comments.list">;

export const getTicket = defineTool({
  name: "get_ticket",
  title: "Read a ticket",
  description:
    "Reads a ticket with its tasks and test cases; with task_id one task instead. Long texts are cut and say how " +
    "to read on, with part and from. part comments reads the comments, oldest first.",
  calls: ["tickets.get"],
  optional: ["tasks.list", "tasks.get", "testCases.list", "comments.list"],
  input: z.strictObject({
    ticket: Ref,
    task_id: TaskId.optional(),
    part: z.enum([...TextName.options, "comments"]).optional().describe(
      "One long text, or comments; if absent, the whole ticket",
    ),
    from: z.int().min(0).default(0).describe("Position in the text at which to begin"),
    cursor,
  }),
  output: z.object({
    ref: z.string(),
    ...Whole.partial().shape,
    task: HeldTask.optional(),
    text: z.string().optional(),
    next_from: z.int().nullable().optional().describe("Send as from for more"),
    comments: z.array(CommentLine).optional(),
    next_cursor: NextCursor.optional(),
  }),
  async run(caller, { ticket, task_id, part, from, cursor }) {
    if (task_id !== undefined && part !== "comments") {
      const { path, ref } = await caller.locateTask({ ticket, task_id });
      const task = await caller.call("tasks.get", path);
      const found = part ? partOf(textOfTask(task, part), from, PART_BYTES) : { task: heldTask(task, ref) };
      return { ref, ...found };
    }
    const address = await caller.locate(ticket);
    if (part === "comments") return { ref: address.ticketId, ...await commentsOf(caller, address, cursor) };
    if (part?.startsWith("task.")) throw invalidField("task_id", `Needed to read ${part}`);
    const found = await caller.call("tickets.get", address);
    if (part) return { ref: found.ticket_ref, ...partOf(textOfTicket(found, part), from, PART_BYTES) };
    return {
      ref: found.ticket_ref,
      ...headOf(found),
      ...await tasksOf(caller, found),
      ...await casesOf(caller, found),
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

async function tasksOf({ call, may }: Reading, { id: ticketId, project_id: id, ticket_ref }: Ticket) {
  if (!may("tasks.list")) return {};
  const { tasks } = await call("tasks.list", { id, ticketId });
  const names = new Map(tasks.map((task) => [task.id, taskName(ticket_ref, task)]));
  const { rows, more } = rowsWithin(tasks.map((task) => lineOf(task, names)), ROWS_BYTES);
  return { tasks: rows, more_tasks: more };
}

function lineOf(task: Task, names: ReadonlyMap<string, string>): z.infer<typeof TaskLine> {
  const { id, title, role, status, depends_on_task_ids: dependencies } = task;
  const after = dependencies.flatMap((id) => names.get(id) ?? []);
  return {
    task_id: names.get(id)!,
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

async function commentsOf({ call }: Reading, address: TicketAddress, cursor: string | undefined) {
  return await pageWithin(20, async (limit) => {
    const { comments, next_cursor } = await call("comments.list", { ...address, limit, cursor });
    const lines = comments.map(({ id, author, created_at, body }) => ({
      comment_id: id,
      by: author.name ?? "unknown",
      is_agent: author.kind === "agent",
      at: created_at,
      body: cutText(body ?? "", COMMENT_BYTES, "a person sees the rest"),
    }));
    return { comments: lines, next_cursor };
  });
}
