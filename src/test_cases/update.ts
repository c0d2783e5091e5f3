import type { ProjectContext } from "../core/context.ts";
import { newVersion, requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket, refuseWhenClosed } from "../tickets/lock.ts";
import { caseColumns } from "./_rows.ts";
import { getTestCase } from "./get.ts";
import type { TestCase, UpdateTestCase } from "./schema.ts";

/**
 * Changes the given fields. A decision was about the old text, so a new title or instruction makes
 * the case pending again.
 * @throws {AppError} version_conflict; conflict if that would undo an approval on which a ticket's
 * closing rests
 */
export async function updateTestCase(ctx: ProjectContext, input: UpdateTestCase): Promise<TestCase> {
  return await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const [ticket, before] = await inOrder(lockTicket(ctx, input.ticketId), getTestCase(ctx, input));
    requireVersion(ctx, before, "test case");
    const { title = before.title, instruction = before.instruction, link = before.link } = input;
    const reopens = title !== before.title || instruction !== before.instruction;
    if (!reopens && link === before.link) return before;
    if (reopens && before.status === "approved") refuseWhenClosed(ticket, "change an approved test case of");
    const undecided = reopens
      ? db`, status = 'pending', decided_by = null, decided_at = null, note = null`
      : db``;
    const [after] = await db<[TestCase]>`
      update test_cases c set title = ${title}, instruction = ${instruction}, link = ${link}, ${
      newVersion(db, "c")
    } ${undecided}
      where c.id = ${before.id}::uuid returning ${caseColumns(db)}`;
    return after;
  });
}
