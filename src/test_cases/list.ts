import type { ProjectContext } from "../core/context.ts";
import { longestTexts, tellLeftOut, withoutTexts } from "../core/long_texts.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { CASE_TEXTS, caseColumns } from "./_rows.ts";
import type { ListedTestCase, TestCaseList } from "./schema.ts";

/**
 * Returns all test cases of a ticket in the order of their creation. The longest texts are left out
 * if the list would be too large.
 */
export async function listTestCases(ctx: ProjectContext, { ticketId }: TicketPath): Promise<TestCaseList> {
  const { db, project } = ctx;
  const where = db`r.ticket_id = ${ticketId}::uuid and r.project_id = ${project.id}::uuid`;
  const list = { table: "test_cases", where, texts: CASE_TEXTS } as const;
  const [, left] = await Promise.all([requireTicket(ctx, ticketId), longestTexts(ctx, list)]);
  const cases = await db<ListedTestCase[]>`
    select ${caseColumns(db)} from ${withoutTexts(db, list, left)} c order by c.id`;
  return {
    cases: tellLeftOut(cases, left),
    all_approved: cases.every(({ status }) => status === "approved"),
  };
}
