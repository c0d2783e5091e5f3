import type { Db } from "../../db/open.ts";

/**
 * Whether `tickets t` may wait for an answer or for the decision of a test case. This is the
 * condition of the index of waiting tickets, word for word, so that the planner uses the index.
 */
export function mayWaitForAnybody(db: Db, alias: "t" | "k" = "t") {
  const t = db.unsafe(alias);
  return db`(${t}.pending_questions > 0 or (${t}.stage = 'validation' and ${t}.cases_approved < ${t}.cases_total))`;
}
