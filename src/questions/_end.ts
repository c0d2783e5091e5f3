import { releaseTasks } from "../assignments/question_block.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { isAsker } from "./asker.ts";
import { questionColumns, readQuestion, refuseEnded, type StoredQuestion } from "./_rows.ts";
import type { Question, QuestionPath } from "./schema.ts";

/**
 * Ends a pending question without an answer, by one conditional statement, and lets its task go on.
 * @throws {AppError} already_answered; conflict if it ended a moment ago
 */
export async function endQuestion(
  ctx: ProjectContext,
  path: QuestionPath,
  end: { status: "withdrawn" | "superseded"; superseded_by?: string },
): Promise<Question> {
  const { db } = ctx;
  const [ended] = await db<Question[]>`
    update questions q set status = ${end.status}, superseded_by = ${end.superseded_by ?? null}::uuid,
      ended_at = clock_timestamp(), updated_at = clock_timestamp()
    where q.id = ${path.questionId}::uuid and q.status = 'pending' returning ${questionColumns(ctx)}`;
  if (ended) {
    if (ended.task_id !== null) await releaseTasks(ctx, [ended.id]);
    return ended;
  }
  refuseEnded(await readQuestion(ctx, path), "end");
  throw new Error("a question that is pending was not ended");
}

/**
 * Checks that the caller asked the question or has control over it. An admin's agent has no control
 * over what others ask, because it could put a question that it may answer in place of a question
 * for people.
 * @throws {AppError} forbidden
 */
export function requireAsker(
  { actor, project }: ProjectContext,
  question: StoredQuestion,
  attempt: string,
): void {
  const isOwn = question.asked_by.id === actor.user.id;
  const isAdmin = project.role === "admin";
  if (isAsker(actor, question) || (isBot(actor) ? isAdmin && isOwn : isAdmin || isOwn)) return;
  const whose = isBot(actor) && isAdmin
    ? "An agent may only"
    : "Only the asker or an admin of the project may";
  const what = isBot(actor) && isAdmin ? "a question that its own user asked" : "a question";
  throw new AppError("forbidden", `${whose} ${attempt} ${what}`);
}
