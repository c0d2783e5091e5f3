import { requirePerson } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { requireVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { getTestCase } from "./get.ts";
import type { TestCasePath } from "./schema.ts";

/**
 * @throws {AppError} forbidden for bot clients, because they could bypass the gate by deleting a
 * case; version_conflict
 */
export async function deleteTestCase(ctx: ProjectContext, input: TestCasePath): Promise<void> {
  requirePerson(ctx.actor, "A bot client may not delete human test cases");
  await transact(ctx, async (ctx) => {
    const [, found] = await inOrder(lockTicket(ctx, input.ticketId), getTestCase(ctx, input));
    requireVersion(ctx, found, "test case");
    await ctx.db`delete from test_cases where id = ${found.id}::uuid`;
  });
}
