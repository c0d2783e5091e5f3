import { z } from "zod";
import { AppError } from "../core/errors.ts";
import { Id } from "../core/schema.ts";
import { ResolutionType, Stage, Status } from "../tickets/schema.ts";
import { cutText } from "./_budget.ts";
import { Agent, Ref, TaskId } from "./_fields.ts";
import { QuestionRow, questionRow } from "./_questions.ts";
import { type Caller, defineTool, type TicketAddress } from "./tool.ts";

const NOT_YET =
  "Nothing yet. Call wait_for again, or go on with another task. If there is nothing else to do, end your " +
  "turn: get_context shows the answer later.";

type WaitingCaller = Caller<"questions.get" | "tickets.get" | "tasks.heartbeat">;

export const waitFor = defineTool({
  name: "wait_for",
  title: "Wait for an answer or a change",
  description:
    "Returns when the question has been answered or, without question_id, when the ticket has changed or closed. " +
    "Returns after wait_seconds at the latest; nothing is lost if you call again.",
  calls: ["tickets.get", "questions.get"],
  optional: ["tasks.heartbeat"],
  waits: true,
  input: z.strictObject({
    ticket: Ref,
    question_id: Id.optional(),
    version: z.int().min(1).optional().describe(
      "Version of the ticket that you know; if absent, the current version",
    ),
    task_id: TaskId.optional().describe("A task that you hold; extends the claim"),
    agent: Agent,
    wait_seconds: z.int().min(0).max(240).default(45),
  }),
  output: z.object({
    ticket: z.string(),
    done: z.boolean(),
    question: QuestionRow.optional(),
    version: z.int().optional(),
    stage: Stage.optional(),
    status: Status.optional(),
    resolution_type: ResolutionType.nullable().optional(),
    resolution_note: z.string().nullable().optional(),
    next: z.string().optional(),
  }),
  async run(
    caller,
    { ticket, question_id: questionId, version, task_id, agent, wait_seconds: seconds },
  ) {
    const address = await caller.locate(ticket);
    if (task_id !== undefined) {
      const { path } = await caller.locateTask({ ticket, task_id });
      await extendClaim(caller, { ...path, session_id: agent });
    }
    return questionId === undefined
      ? await waitForTicket(caller, address, version, seconds)
      : await waitForAnswer(caller, { ...address, questionId }, seconds);
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

async function waitForTicket(
  { call, wait }: WaitingCaller,
  path: TicketAddress,
  version: number | undefined,
  seconds: number,
) {
  const { id, version: known = 0 } = await call("tickets.get", path);
  const isNews = (ticket: { version: number; status: string }) =>
    ticket.version > (version ?? known) || ticket.status === "closed";
  const ticket = await wait({
    seconds,
    matches: (event) => event.ticket?.id === id,
    read: () => call("tickets.get", path),
    isDone: isNews,
  });
  const { ticket_ref, stage, status, resolution_type, resolution_note } = ticket;
  const done = isNews(ticket);
  return {
    ticket: ticket_ref,
    done,
    version: ticket.version,
    stage,
    status,
    resolution_type,
    resolution_note: cutText(resolution_note, 8_000, "get_ticket with part resolution_note"),
    ...(!done && { next: NOT_YET }),
  };
}

/** A task that waits for an answer is blocked. Its claim lasts without heartbeats. */
async function extendClaim(
  { call, may }: WaitingCaller,
  claim: TicketAddress & { taskId: string; session_id: string | undefined },
): Promise<void> {
  if (!may("tasks.heartbeat")) return;
  await call("tasks.heartbeat", claim).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "invalid_transition") throw error;
  });
}
