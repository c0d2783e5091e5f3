import type { Db } from "../../db/open.ts";

/** The columns of a Survey for `scope_surveys s`. */
export function surveyColumns(db: Db) {
  return db`s.id, s.code, s.title, s.created_at, s.closed_at,
    (select count(*) from survey_responses r where r.survey_id = s.id) as response_count`;
}
