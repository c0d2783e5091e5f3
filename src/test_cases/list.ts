import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { caseColumns } from "./_rows.ts";
import type { TestCase, TestCaseList } from "./schema.ts";

/** All test cases of a ticket, in the order of their creation. */
export async function listTestCases(ctx: ProjectContext, { ticketId }: TicketPath): Promise<TestCaseList> {
  const { db, project } = ctx;
  const [, cases] = await Promise.all([
    requireTicket(ctx, ticketId),
    db<TestCase[]>`
      select ${caseColumns(db)} from test_cases c
      where c.ticket_id = ${ticketId}::uuid and c.project_id = ${project.id}::uuid order by c.id`,
  ]);
  return { cases, all_approved: cases.every(({ status }) => status === "approved") };
}
