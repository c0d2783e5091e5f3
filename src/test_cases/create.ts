import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { type LockedTicket, lockTicket, refuseWhenClosed } from "../tickets/lock.ts";
import { makeOnce } from "../tickets/idempotency.ts";
import { caseColumns } from "./_rows.ts";
import { type CreatedTestCase, type CreateTestCase, MAX_CASES, type TestCase } from "./schema.ts";

/**
 * Adds a test case, once for an idempotency key. The ticket can't be closed until the case is
 * approved.
 */
export async function createTestCase(ctx: ProjectContext, input: CreateTestCase): Promise<CreatedTestCase> {
  return await transact(ctx, async (ctx) => {
    const [ticket, [count]] = await inOrder(
      lockTicket(ctx, input.ticketId),
      ctx.db<[{ cases: number }]>`
        select count(*)::integer as cases from test_cases where ticket_id = ${input.ticketId}::uuid`,
    );
    return await makeOnce(ctx, "test_case", input, () => addTestCase(ctx, ticket, count.cases, input));
  });
}

async function addTestCase(
  { db, project }: ProjectContext,
  ticket: LockedTicket,
  cases: number,
  input: CreateTestCase,
): Promise<TestCase> {
  refuseWhenClosed(ticket, "add a test case to");
  if (cases >= MAX_CASES) {
    throw new AppError(
      "conflict",
      `Cannot add a test case to ticket ${ticket.ticket_ref}: it has ${MAX_CASES} already`,
    );
  }
  const [made] = await db<[TestCase]>`
      insert into test_cases as c (id, ticket_id, project_id, title, instruction, link)
      values (${uuid()}::uuid, ${input.ticketId}::uuid, ${project.id}::uuid, ${input.title}, ${input.instruction},
        ${input.link ?? null})
      returning ${caseColumns(db)}`;
  return made;
}
