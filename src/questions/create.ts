import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { makeOnce } from "../tickets/idempotency.ts";
import { lockTicket, refuseWhenClosed } from "../tickets/lock.ts";
import { checkAsked } from "./_asked.ts";
import { insertQuestion } from "./_insert.ts";
import { type CreatedQuestion, type CreateQuestion, MAX_QUESTIONS, type Question } from "./schema.ts";

/**
 * Asks a question on an open ticket, once for an idempotency key, and blocks the task that waits
 * for it.
 * @throws {AppError} conflict for a closed ticket; invalid_transition for a finished task
 */
export async function createQuestion(ctx: ProjectContext, input: CreateQuestion): Promise<CreatedQuestion> {
  return await transact(ctx, async (ctx) => {
    const ticket = await lockTicket(ctx, input.ticketId);
    return await makeOnce(ctx, "question", input, () => {
      refuseWhenClosed(ticket, "ask on");
      return ask(ctx, input, ticket.version);
    });
  });
}

async function ask(ctx: ProjectContext, input: CreateQuestion, version: number): Promise<Question> {
  const [row] = await ctx.db<[{ questions: number }]>`
    select count(*)::integer as questions from questions where ticket_id = ${input.ticketId}::uuid`;
  if (row.questions >= MAX_QUESTIONS) {
    throw new AppError("conflict", `Cannot ask on this ticket: it has ${MAX_QUESTIONS} questions already`);
  }
  await checkAsked(ctx, input, version);
  return await insertQuestion(ctx, input);
}
