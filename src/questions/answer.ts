import { releaseTasks } from "../assignments/question_block.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { requireAnswerer } from "./_may_answer.ts";
import { questionColumns, readQuestion, refuseEnded, type StoredQuestion } from "./_rows.ts";
import { requireScopeOf } from "./_task.ts";
import type { AnswerQuestion, Question } from "./schema.ts";

/**
 * Answers a question. The answer, its history and the task that continues are written in one
 * transaction. The first of several simultaneous answers counts.
 * @throws {AppError} already_answered with the first answer in `details.current`; conflict if it
 * ended in another way; question_stale; forbidden for a caller who may not answer it
 */
export async function answerQuestion(ctx: ProjectContext, input: AnswerQuestion): Promise<Question> {
  return await transact(ctx, async (ctx) => {
    const { db, actor } = ctx;
    const [, question] = await inOrder(lockTicket(ctx, input.ticketId), readQuestion(ctx, input));
    requireAnswerer(ctx, question);
    requireScopeOf(ctx, question);
    refuseEnded(question, "answer");
    checkAnswer(question, input);
    if (question.stale && !input.confirm_stale) throw isStale(question);
    const [answered] = await db<Question[]>`
      update questions q set status = 'answered', option_ids = ${input.option_ids ?? []}::text[],
        answer_text = ${
      input.text ?? null
    }, answered_by = ${actor.user.id}::uuid, answered_with = ${actor.credential.type},
        answered_by_bot = ${isBot(actor)}, ended_at = clock_timestamp(), updated_at = clock_timestamp()
      where q.id = ${question.id}::uuid and q.status = 'pending' returning ${questionColumns(ctx)}`;
    if (answered) {
      if (answered.task_id !== null) await releaseTasks(ctx, [answered.id]);
      return answered;
    }
    // The question expired between the two statements, because expiry doesn't wait for the ticket's
    // lock.
    refuseEnded(await readQuestion(ctx, input), "answer");
    throw new Error("a question that is pending was not answered");
  });
}

/** @throws {AppError} invalid_request for an answer that doesn't have the question's form */
function checkAnswer(
  { kind, options, selection, allow_text }: StoredQuestion,
  { option_ids = [], text }: AnswerQuestion,
): void {
  if (options === null) {
    if (option_ids.length > 0) throw invalidField("option_ids", "This question is answered by text");
    if (text === undefined) throw invalidField("text", "Required");
    return;
  }
  const strange = option_ids.findIndex((id) => !options.some((option) => option.id === id));
  if (strange >= 0) throw invalidField(`option_ids.${strange}`, "Is not one of the question's options");
  if (selection === "single" && option_ids.length > 1) {
    throw invalidField("option_ids", "This question takes one option");
  }
  if (text !== undefined && !allow_text) {
    throw invalidField("text", "This question takes only options as its answer");
  }
  const byText = text !== undefined && kind === "decision";
  if (option_ids.length === 0 && !byText) throw invalidField("option_ids", "Must name an option");
}

function isStale({ about_version, ticket_ref }: StoredQuestion): AppError {
  return new AppError(
    "question_stale",
    `Ticket ${ticket_ref} has changed since version ${about_version}, which the question is about: look at it, then answer ` +
      "with confirm_stale",
  );
}
