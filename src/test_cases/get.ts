import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { caseColumns } from "./_rows.ts";
import type { TestCase, TestCasePath } from "./schema.ts";

/**
 * Reads a test case. While the ticket's lock is held, nobody else writes it.
 * @throws {AppError} not_found
 */
export async function getTestCase(ctx: ProjectContext, input: TestCasePath): Promise<TestCase> {
  const { db, project } = ctx;
  const [found] = await db<TestCase[]>`
    select ${caseColumns(db)} from test_cases c
    where c.id = ${input.caseId}::uuid and c.ticket_id = ${input.ticketId}::uuid and c.project_id = ${project.id}::uuid`;
  if (!found) throw new AppError("not_found", "No such test case on this ticket");
  return found;
}
