import { z } from "zod";
import { AppError, invalidField } from "../core/errors.ts";
import { Id, Role } from "../core/schema.ts";
import type { Task, TaskPath } from "../tasks/schema.ts";
import { ResolutionType, Stage, Status } from "../tickets/schema.ts";
import { cutText } from "./_budget.ts";
import { Agent, ProjectKey, Ref, TaskId } from "./_fields.ts";
import { Happened, happened } from "./_happened.ts";
import { QuestionRow, questionRow } from "./_questions.ts";
import { nextStep } from "./_next.ts";
import { TaskRow, taskRow, WithoutTasksRow, withoutTasksRow } from "./_rows.ts";
import { type Caller, defineTool, type OutputOf, type TicketAddress } from "./tool.ts";

const NOT_YET =
  "Nothing yet. Call wait_for again, or go on with another task. If there is nothing else to do, end your " +
  "turn: get_context shows later what happens.";
/** The most bytes of the text of each thing that happened. There may be ten. */
const TEXT_BYTES = 1_500;

type WaitingCaller = Caller<
  "questions.get" | "tickets.get" | "tickets.news" | "tasks.heartbeat" | "tasks.listOfProject"
>;

export const waitFor = defineTool({
  name: "wait_for",
  title: "Wait for an answer, a change or work",
  description:
    "Returns when the question is answered; with ticket alone, when others decide a test case, comment, answer, or change " +
    "it or its tasks; with neither, when a task of the project is ready. Returns after wait_seconds at the latest; " +
    "nothing is lost if you call again.",
  calls: ["tickets.get", "questions.get", "tickets.news"],
  optional: ["tasks.heartbeat", "tasks.listOfProject"],
  waits: true,
  others: ["happened", "question", "tasks.title", "without_tasks.title", "resolution_note"],
  input: z.strictObject({
    ticket: Ref.optional(),
    question_id: Id.optional(),
    since: z.int().min(0).optional().describe(
      "since of your last wait_for on it; if absent, since your last act on it",
    ),
    version: z.int().min(1).optional().describe("Version of the ticket that you know"),
    project: ProjectKey,
    role: Role.optional(),
    task_id: TaskId.optional().describe("A task that you hold; extends the claim"),
    agent: Agent,
    wait_seconds: z.int().min(0).max(240).default(45),
  }),
  output: z.object({
    done: z.boolean(),
    ticket: z.string().optional(),
    claim: z.string().optional(),
    happened: z.array(Happened).optional(),
    since: z.int().optional(),
    question: QuestionRow.optional(),
    tasks: z.array(TaskRow).optional(),
    without_tasks: z.array(WithoutTasksRow).optional(),
    version: z.int().optional(),
    stage: Stage.optional(),
    status: Status.optional(),
    resolution_type: ResolutionType.nullable().optional(),
    resolution_note: z.string().nullable().optional(),
    next: z.string().optional(),
  }),
  async run(caller, { ticket: named, question_id: questionId, project, role, task_id, agent, ...input }) {
    const held = task_id === undefined ? null : await caller.locateTask({ ticket: named, task_id });
    const claim = held && await extendClaim(caller, { ...held.path, session_id: agent });
    const ticket = named ?? held?.ref;
    if (ticket === undefined) {
      if (questionId !== undefined) throw invalidField("ticket", "Needed with question_id");
      return await waitForWork(caller, await caller.project(project), role, input.wait_seconds);
    }
    const address = await caller.locate(ticket);
    const found = questionId === undefined
      ? await waitForTicket(caller, address, input)
      : await waitForAnswer(caller, { ...address, questionId }, input.wait_seconds);
    return { ...found, ...(claim !== null && { claim }) };
  },
});

async function waitForAnswer(
  { call, wait }: WaitingCaller,
  path: TicketAddress & { questionId: string },
  seconds: number,
) {
  const question = await wait({
    seconds,
    matches: ({ entity_id }) => entity_id === path.questionId,
    read: () => call("questions.get", path),
    isDone: ({ status }) => status !== "pending",
  });
  const done = question.status !== "pending";
  return {
    ticket: question.ticket_ref,
    done,
    question: questionRow(question, 9_000),
    ...(!done && { next: NOT_YET }),
  };
}

/** Waits for what others do. The caller's own acts don't end the wait. */
async function waitForTicket(
  { call, wait, isOwn }: WaitingCaller,
  path: TicketAddress,
  { since, version, wait_seconds: seconds }: {
    since?: number | undefined;
    version?: number | undefined;
    wait_seconds: number;
  },
) {
  const before = await call("tickets.get", path);
  const isKnown = before.status === "open" && (version === undefined || before.version <= version);
  // Without a place to begin from, the first read says from where on the wait goes on.
  let after = since;
  const { news, last } = await wait({
    seconds: isKnown ? seconds : 0,
    matches: (event) => event.ticket?.id === before.id && !isOwn(event.actor),
    async read() {
      const found = await call("tickets.news", { ...path, after });
      if (found.news.length === 0) after = found.last;
      return found;
    },
    isDone: ({ news }) => news.length > 0,
  });
  const ticket = news.length === 0 ? before : await call("tickets.get", path);
  const { ticket_ref, stage, status, resolution_type, resolution_note } = ticket;
  const done = news.length > 0 || !isKnown;
  return {
    ticket: ticket_ref,
    done,
    ...(news.length > 0 && { happened: news.map((item) => happened(item, TEXT_BYTES)) }),
    since: last,
    version: ticket.version,
    stage,
    status,
    resolution_type,
    resolution_note: cutText(resolution_note, 4_000, "get_ticket with part resolution_note"),
    next: !done ? NOT_YET : stage === "validation" ? nextStep(ticket) : undefined,
  };
}

/** A ready ticket without tasks can be claimed like a task. */
function isWork({ tasks, tickets = [] }: OutputOf<"tasks.listOfProject">): boolean {
  return tasks.length > 0 || tickets.length > 0;
}

/** Waits until the caller may claim something in the project. While nothing happens, it costs nothing. */
async function waitForWork(
  { call, may, wait, userId }: WaitingCaller,
  { id, key }: { id: string; key: string },
  role: Role | undefined,
  seconds: number,
) {
  if (!may("tasks.listOfProject")) {
    throw new AppError("insufficient_scope", "The API key lacks the scope tasks:read");
  }
  const found = await wait({
    seconds,
    matches: ({ project_id, entity }) =>
      project_id === id && ["task", "ticket", "role", "question"].includes(entity),
    read: () => call("tasks.listOfProject", { id, ready: true, role, limit: 1 }),
    isDone: isWork,
  });
  const done = isWork(found);
  const { tasks, tickets = [] } = found;
  return {
    done,
    tasks: tasks.map((task) => taskRow(task, userId)),
    ...(tickets.length > 0 && { without_tasks: tickets.map(withoutTasksRow) }),
    next: done
      ? "Claim it with claim_task."
      : `Nothing is ready in ${key} yet. Call wait_for again, or end your turn.`,
  };
}

/**
 * Extends the claim and tells its state. A task that waits for an answer is blocked, and its claim
 * lasts without heartbeats.
 */
async function extendClaim(
  { call, may }: WaitingCaller,
  claim: TaskPath & { session_id: string | undefined },
): Promise<string | null> {
  if (!may("tasks.heartbeat")) return null;
  try {
    const { lease_expires_at: end } = await call("tasks.heartbeat", claim);
    return end === null ? "yours" : `yours until ${end}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== "invalid_transition" && error.code !== "already_claimed") throw error;
    const { current, yours } = error.fields.details as { current: Task; yours: boolean };
    const { status, assignee_session_id: holder } = current;
    if (status === "blocked" && yours) return "yours, without an end while the task is blocked";
    return `not yours: the task is ${status}${
      holder === null || yours ? "" : ", and another agent holds it"
    }`;
  }
}
