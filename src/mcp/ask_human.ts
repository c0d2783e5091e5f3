import { z } from "zod";
import { invalidField } from "../core/errors.ts";
import { Id, text } from "../core/schema.ts";
import { CreateQuestion, QuestionTexts } from "../questions/schema.ts";
import { Agent, Ref, TaskId } from "./_fields.ts";
import { findPerson } from "./_people.ts";
import { type Caller, defineTool, type TicketAddress } from "./tool.ts";

const shape = CreateQuestion.shape;

/** The most hours that a question may wait before its default becomes the answer. */
const MAX_HOURS = 24 * 365;

const AskHuman = z.strictObject({
  ticket: Ref,
  question: QuestionTexts.prompt.optional(),
  context: shape.context.describe("Facts that the person needs to decide, and what you recommend"),
  options: z.array(z.string().min(1).max(200)).min(2).max(12).optional().describe("Makes it a choice"),
  several: z.boolean().optional().describe("More than one option may be chosen"),
  yes_or_no: z.boolean().optional(),
  to: text(1, 320).optional().describe("A name or e-mail address, or admins; if absent, anybody"),
  due_in_hours: z.number().min(0.1).max(MAX_HOURS).optional(),
  default_option: text(1, 200).optional().describe("The answer if nobody answers in time"),
  task_id: TaskId.optional().describe("Your task that can't go on"),
  agent: Agent,
  withdraw: Id.optional().describe("Instead: id of your question to take back"),
  idempotency_key: shape.idempotency_key,
});
type AskHuman = z.infer<typeof AskHuman>;

export const askHuman = defineTool({
  name: "ask_human",
  title: "Ask a person",
  description:
    "Asks a question on a ticket, which a person answers in minutes or days. With task_id your task is blocked until " +
    "then and stays yours. Offer options where you can. Then use wait_for, or go on with another task.",
  calls: ["questions.create"],
  optional: ["questions.withdraw", "projects.people"],
  input: AskHuman,
  output: z.object({
    question_id: z.string(),
    ticket: z.string(),
    to: z.string().optional(),
    status: z.string(),
    replayed: z.boolean(),
  }),
  async run(caller, asked) {
    const { ticket, task_id } = asked;
    refuseContradictions(asked);
    const { call, locate, locateTask } = caller;
    if (asked.withdraw !== undefined) {
      const { id, ticket_ref, status } = await call("questions.withdraw", {
        ...await locate(ticket),
        questionId: asked.withdraw,
      });
      return { question_id: id, ticket: ticket_ref, status, replayed: false };
    }
    const { id, ticketId, taskId } = task_id === undefined
      ? { ...await locate(ticket), taskId: undefined }
      : (await locateTask({ ticket, task_id })).path;
    const to = await addresseeOf(caller, { id, ticketId }, asked.to);
    const made = await call("questions.create", {
      id,
      ticketId,
      task_id: taskId,
      session_id: asked.agent,
      context: asked.context,
      idempotency_key: asked.idempotency_key,
      prompt: asked.question!,
      ...formOf(asked),
      ...(to && { addressee: to.addressee }),
    });
    return {
      question_id: made.id,
      ticket: made.ticket_ref,
      ...(to && { to: to.name }),
      status: made.status,
      replayed: made._idempotent_replay ?? false,
    };
  },
});

/** @throws {AppError} invalid_request for arguments of which one would be dropped silently */
function refuseContradictions(asked: AskHuman): void {
  const { question, withdraw, options, several, yes_or_no, due_in_hours, default_option } = asked;
  if (withdraw !== undefined) {
    if (question !== undefined) throw invalidField("withdraw", "Either ask a question or withdraw one");
    return;
  }
  if (question === undefined) throw invalidField("question", "Required");
  if (options && yes_or_no) throw invalidField("yes_or_no", "Not with options");
  if (several && !options) throw invalidField("several", "Needs options");
  const labels = (options ?? []).map((label) => label.trim().toLowerCase());
  const twin = labels.findIndex((label, at) => labels.indexOf(label) < at);
  if (twin >= 0) throw invalidField(`options.${twin}`, "Is named twice");
  if (default_option === undefined) return;
  if (due_in_hours === undefined) throw invalidField("default_option", "Needs due_in_hours");
  if (!options) {
    throw invalidField("default_option", "Needs options, because only a person answers yes or no");
  }
  if (!options.includes(default_option)) throw invalidField("default_option", "Is not one of the options");
}

/** The question's form. Options have their numbers, from 1, as ids. */
function formOf({ options, several, yes_or_no, due_in_hours, default_option }: AskHuman) {
  return {
    kind: options ? "decision" as const : yes_or_no ? "confirmation" as const : "question" as const,
    ...(options && {
      options: options.map((label, at) => ({ id: String(at + 1), label })),
      selection: several ? "multiple" as const : "single" as const,
    }),
    ...(due_in_hours !== undefined && {
      due_at: new Date(Date.now() + due_in_hours * 3_600_000).toISOString(),
    }),
    ...(default_option !== undefined && { default_option: String(options!.indexOf(default_option) + 1) }),
  };
}

async function addresseeOf(
  { call }: Caller<"projects.people">,
  { id }: TicketAddress,
  to: string | undefined,
) {
  if (to === undefined) return null;
  if (/^admins?$/i.test(to.trim())) {
    return { name: "admins of the project", addressee: { role: "admin" as const } };
  }
  const { id: user_id, name } = await findPerson({ call }, { projectId: id, named: to, field: "to" });
  return { name, addressee: { user_id } };
}
