import type { Db } from "../../db/open.ts";

/** The columns of a TestCase for `test_cases c`. */
export function caseColumns(db: Db) {
  return db`c.id, c.title, c.instruction, c.link, c.status, c.decided_by, c.decided_at, c.note, c.version, c.created_at,
    c.updated_at`;
}
