import { requirePerson } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { newVersion, requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket, refuseWhenClosed } from "../tickets/lock.ts";
import { caseColumns } from "./_rows.ts";
import { getTestCase } from "./get.ts";
import type { DecideTestCase, TestCase } from "./schema.ts";

/**
 * @throws {AppError} forbidden for bot clients; version_conflict; conflict for a rejection on a
 * closed ticket
 */
export async function decideTestCase(
  ctx: ProjectContext,
  input: DecideTestCase,
  status: "approved" | "rejected",
): Promise<TestCase> {
  requirePerson(ctx.actor, "A bot client may not approve or reject human test cases");
  return await transact(ctx, async (ctx) => {
    const { db, actor } = ctx;
    const [ticket, before] = await inOrder(lockTicket(ctx, input.ticketId), getTestCase(ctx, input));
    requireVersion(ctx, before, "test case");
    if (before.status === status && (input.note === undefined || input.note === before.note)) return before;
    if (before.status === "approved" && status === "rejected") {
      refuseWhenClosed(ticket, "reject a test case of");
    }
    const [after] = await db<[TestCase]>`
      update test_cases c set status = ${status}, decided_by = ${actor.user.id}::uuid, decided_at = clock_timestamp(),
        note = ${input.note ?? null}, ${newVersion(db, "c")}
      where c.id = ${before.id}::uuid returning ${caseColumns(db)}`;
    return after;
  });
}
