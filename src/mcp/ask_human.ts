import { z } from "zod";
import { CreateQuestion, QuestionTexts } from "../questions/schema.ts";
import { Ref, TaskId } from "./_fields.ts";
import { defineTool } from "./tool.ts";

const shape = CreateQuestion.shape;

export const askHuman = defineTool({
  name: "ask_human",
  title: "Ask a person",
  description:
    "Asks a question on a ticket, which a person answers in minutes or days. With task_id your task is blocked until " +
    "then and stays yours. Offer options where you can. Then use wait_for, or go on with another task.",
  calls: ["questions.create"],
  input: z.strictObject({
    ticket: Ref,
    question: QuestionTexts.prompt,
    context: shape.context.describe("Facts that the person needs to decide, and what you recommend"),
    options: z.array(z.string().min(1).max(200)).min(2).max(12).optional().describe("Makes it a choice"),
    several: z.boolean().optional().describe("More than one option may be chosen"),
    yes_or_no: z.boolean().optional(),
    task_id: TaskId.optional().describe("Your task that can't go on"),
    idempotency_key: shape.idempotency_key,
  }),
  output: z.object({ question_id: z.string(), ticket: z.string(), replayed: z.boolean() }),
  async run({ call, locate, locateTask }, {
    ticket,
    question: prompt,
    options,
    several,
    yes_or_no,
    task_id,
    ...rest
  }) {
    const { id, ticketId, taskId: waiting } = task_id === undefined
      ? { ...await locate(ticket), taskId: undefined }
      : (await locateTask({ ticket, task_id })).path;
    const made = await call("questions.create", {
      id,
      ticketId,
      task_id: waiting,
      ...rest,
      prompt,
      kind: options ? "decision" : yes_or_no ? "confirmation" : "question",
      ...(options && {
        options: options.map((label, at) => ({ id: String(at + 1), label })),
        selection: several ? "multiple" : "single",
      }),
    });
    return { question_id: made.id, ticket: made.ticket_ref, replayed: made._idempotent_replay ?? false };
  },
});
