import { z } from "zod";
import type { Comment } from "../comments/schema.ts";
import { invalidField } from "../core/errors.ts";
import { Cursor, Role } from "../core/schema.ts";
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
import { NextCursor, Ref, TaskId } from "./_fields.ts";
import { WholePlan, wholePlan } from "./_plan.ts";
import { QuestionRow, questionRow } from "./_questions.ts";
import { criteriaMet, HeldTask, heldTask, rolesOf } from "./_rows.ts";
import { howToRead, TextName, textOfTask, textOfTicket } from "./_texts.ts";
import { type Caller, defineTool, type TicketAddress } from "./tool.ts";

/**
 * The most bytes of a text, in an answer about the whole ticket and in an answer with a part of
 * this text alone.
 */
const TEXT_BYTES = 2_100;
const PART_BYTES = 16_000;
const COMMENT_BYTES = 10_000;
/** The latest comments and the newest questions in an answer about the whole ticket, and their bytes. */
const LATEST_COMMENTS = 2;
const LATEST_BYTES = 400;
const NEWEST_QUESTIONS = 4;
const QUESTION_BYTES = 200;
const QUESTIONS_BYTES = 3_200;
/** The most bytes of each text of a question in an answer about questions alone. */
const WHOLE_QUESTION_BYTES = 8_000;
/** The most bytes of the task rows together, and of the test case rows together. */
const ROWS_BYTES = 4_000;

const TaskLine = z.object({
  task_id: z.string(),
  title: z.string(),
  role: Role,
  status: TaskStatus,
  after: z.array(z.string()).optional().describe("Tasks that must be finished first"),
  criteria: z.string().describe("Number of met criteria and of all criteria, such as 2/3"),
});

const CommentLine = z.object({
  comment_id: z.string(),
  by: z.string(),
  is_agent: z.boolean(),
  at: z.string(),
  body: z.string().describe("Empty if it was deleted"),
});

const Whole = z.object({
  version: z.int(),
  title: z.string(),
  description: z.string(),
  by: z.string(),
  is_agent: z.boolean(),
  type: RequestType,
  priority: Priority,
  blocking: z.boolean(),
  stage: Stage,
  status: Status,
  ship: z.enum(Ship.options),
  roles: z.array(z.string()),
  ...WholePlan,
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
  questions: z.array(QuestionRow).describe("Newest first"),
  more_questions: z.boolean().describe("part questions has all"),
  comments_total: z.int(),
  latest_comments: z.array(CommentLine),
  left_out: z.array(z.string()).describe("Parts that your key may not read"),
});

type Reading = Caller<
  | "tickets.get"
  | "columns.list"
  | "tasks.list"
  | "tasks.get"
  | "testCases.list"
  | "comments.list"
  | "comments.summary"
  | "questions.list"
>;

export const getTicket = defineTool({
  name: "get_ticket",
  title: "Read a ticket",
  description:
    "Reads a ticket with its tasks, test cases, questions and latest comments; with task_id one task instead. Long texts " +
    "are cut and say how to read on. part comments and part questions read all of them.",
  calls: [
    "tickets.get",
    "columns.list",
    "comments.list",
    "comments.summary",
    "questions.list",
    "testCases.list",
  ],
  optional: ["tasks.list", "tasks.get"],
  others: [
    "title",
    "description",
    "assignee",
    "labels",
    "milestone",
    "column",
    "suggested_resolution",
    "implementation_notes",
    "resolution_note",
    "evidence",
    "text",
    "tasks.title",
    "task",
    "test_cases",
    "questions",
    "latest_comments",
    "comments",
  ],
  input: z.strictObject({
    ticket: Ref.optional(),
    task_id: TaskId.optional(),
    part: z.enum([...TextName.options, "comments", "questions"]).optional().describe(
      "If absent, the whole ticket",
    ),
    cursor: z.union([Cursor, z.int().min(0).transform(String)]).optional().meta({
      type: "string",
      description: "next_cursor of the part before",
    }),
  }),
  output: z.object({
    ref: z.string(),
    ...Whole.partial().shape,
    task: HeldTask.optional(),
    text: z.string().optional(),
    comments: z.array(CommentLine).optional(),
    next_cursor: NextCursor.optional(),
  }),
  async run(caller, { ticket, task_id, part, cursor }) {
    if (task_id !== undefined && part !== "comments" && part !== "questions") {
      const { path, ref } = await caller.locateTask({ ticket, task_id });
      const task = await caller.call("tasks.get", path);
      const found = part ? partAt(textOfTask(task, part), cursor) : { task: heldTask(task, ref) };
      return { ref, ...found };
    }
    const named = ticket ?? task_id?.split("/")[0];
    if (named === undefined) throw invalidField("ticket", "Required");
    const address = await caller.locate(named);
    if (part === "comments") return { ref: address.ticketId, ...await commentsOf(caller, address, cursor) };
    if (part === "questions") return { ref: address.ticketId, ...await questionsOf(caller, address, cursor) };
    if (part?.startsWith("task.")) throw invalidField("task_id", `Needed to read ${part}`);
    const found = await caller.call("tickets.get", address);
    if (part) return { ref: found.ticket_ref, ...partAt(textOfTicket(found, part), cursor) };
    return {
      ref: found.ticket_ref,
      ...headOf(found),
      ...await columnOf(caller, found),
      ...await tasksOf(caller, found),
      ...await casesOf(caller, found),
      ...await talkOf(caller, found),
    };
  },
});

/** A part of a text. Its cursor is the position at which it begins. */
function partAt(text: string, cursor = "0") {
  if (!/^\d{1,9}$/.test(cursor)) throw invalidField("cursor", "Not a cursor of this text");
  const { text: part, next_from } = partOf(text, Number(cursor), PART_BYTES);
  return { text: part, next_cursor: next_from === null ? null : String(next_from) };
}

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
    ...wholePlan(ticket),
    suggested_resolution: short("suggested_resolution"),
    implementation_notes: short("implementation_notes"),
    resolution_type,
    resolution_note: short("resolution_note"),
    evidence: short("evidence"),
    url,
  };
}

async function columnOf({ call }: Reading, { project_id: id, column_id }: Ticket) {
  if (column_id === null) return {};
  const { columns } = await call("columns.list", { id });
  const column = columns.find((one) => one.id === column_id)?.name;
  return column === undefined ? {} : { column };
}

async function tasksOf({ call, may }: Reading, { id: ticketId, project_id: id, ticket_ref }: Ticket) {
  if (!may("tasks.list")) return { left_out: ["tasks, because your key lacks the scope tasks:read"] };
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

async function casesOf({ call }: Reading, { id: ticketId, project_id: id }: Ticket) {
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

/** Returns the questions with their answers, the latest comments, and who created the ticket. */
async function talkOf({ call }: Reading, { id: ticketId, project_id: id }: Ticket) {
  const [{ opened_by, total, latest }, { questions, next_cursor }] = await Promise.all([
    call("comments.summary", { id, ticketId, limit: LATEST_COMMENTS }),
    call("questions.list", { id, ticketId, sort: "-at", limit: NEWEST_QUESTIONS }),
  ]);
  const newest = rowsWithin(questions.map((one) => questionRow(one, QUESTION_BYTES)), QUESTIONS_BYTES);
  return {
    by: opened_by.name ?? "unknown",
    is_agent: opened_by.kind === "agent",
    ...(newest.rows.length > 0 && { questions: newest.rows }),
    ...((next_cursor || newest.more) && { more_questions: true }),
    comments_total: total,
    ...(latest.length > 0 && {
      latest_comments: latest.map((comment) =>
        commentLine(comment, LATEST_BYTES, "part comments has the rest")
      ),
    }),
  };
}

async function questionsOf({ call }: Reading, address: TicketAddress, cursor: string | undefined) {
  return await pageWithin(20, async (limit) => {
    const { questions, next_cursor } = await call("questions.list", {
      ...address,
      sort: "-at",
      limit,
      cursor,
    });
    return {
      questions: questions.map((question) => questionRow(question, WHOLE_QUESTION_BYTES)),
      next_cursor,
    };
  });
}

async function commentsOf({ call }: Reading, address: TicketAddress, cursor: string | undefined) {
  return await pageWithin(20, async (limit) => {
    const { comments, next_cursor } = await call("comments.list", { ...address, limit, cursor });
    const rest = "a person sees the rest";
    return { comments: comments.map((comment) => commentLine(comment, COMMENT_BYTES, rest)), next_cursor };
  });
}

function commentLine({ id, author, created_at, body }: Comment, maxBytes: number, rest: string) {
  return {
    comment_id: id,
    by: author.name ?? "unknown",
    is_agent: author.kind === "agent",
    at: created_at,
    body: cutText(body ?? "", maxBytes, rest),
  };
}
