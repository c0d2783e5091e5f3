import type { Db } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { PublicSurvey } from "./schema.ts";

/** The columns of a Survey for `scope_surveys s`. */
export function surveyColumns(db: Db) {
  return db`s.id, s.code, s.title, s.created_at, s.closed_at,
    (select count(*) from survey_responses r where r.survey_id = s.id) as response_count`;
}

/** Reads a survey by its code, even if it is closed. @throws {AppError} not_found */
export async function readSurvey({ db }: Context, code: string): Promise<PublicSurvey & { id: string }> {
  const [survey] = await db<(PublicSurvey & { id: string })[]>`
    select id, code, title, questions, closed_at is not null as closed from scope_surveys where lower(code) = lower(${code})`;
  if (!survey) throw new AppError("not_found", "No survey has this code");
  return survey;
}
