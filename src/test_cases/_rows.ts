import type { Db } from "../../db/open.ts";
import type { LongTexts } from "../core/long_texts.ts";

export const CASE_TEXTS: LongTexts = {
  instruction: { bytes: "octet_length(r.instruction)", blank: "" },
  link: { bytes: "octet_length(r.link)", blank: null },
  note: { bytes: "octet_length(r.note)", blank: null },
};

/** The columns of a TestCase for `test_cases c`. */
export function caseColumns(db: Db) {
  return db`c.id, c.title, c.instruction, c.link, c.status, c.decided_by, c.decided_at, c.note, c.version, c.created_at,
    c.updated_at`;
}
