import type { ActorContext } from "../core/context.ts";
import { afterId } from "../core/cursor.ts";
import { AppError } from "../core/errors.ts";
import { withinBytes } from "../core/long_texts.ts";
import { pageLimit } from "../core/planner.ts";
import type { Page } from "../core/schema.ts";
import type { SurveyQuestion, SurveyResponse } from "./schema.ts";

/** @throws {AppError} not_found */
export async function readQuestions({ db }: ActorContext, surveyId: string): Promise<SurveyQuestion[]> {
  const [survey] = await db<{ questions: SurveyQuestion[] }[]>`
    select questions from scope_surveys where id = ${surveyId}::uuid`;
  if (!survey) throw new AppError("not_found", "No such survey");
  return survey.questions;
}

/** Reads one page of the answers, oldest first. */
export async function readResponses(
  ctx: ActorContext,
  surveyId: string,
  { limit, cursor }: Page,
): Promise<SurveyResponse[]> {
  const { db } = ctx;
  const rows = db`
    select id, email, user_id, answers, created_at from survey_responses
    where survey_id = ${surveyId}::uuid ${afterId(db, "id", cursor)}
    order by id limit ${pageLimit(db, limit)}`;
  return await db<SurveyResponse[]>`
    select id, email, user_id, answers, created_at, found
    from ${withinBytes(ctx, { rows, order: db`id`, size: db`unpacked_bytes(r.answers)` })} r order by id`;
}
