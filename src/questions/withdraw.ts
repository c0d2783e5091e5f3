import type { ProjectContext } from "../core/context.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { endQuestion, requireAsker } from "./_end.ts";
import { readQuestion, refuseEnded } from "./_rows.ts";
import { requireScopeOf } from "./_task.ts";
import type { Question, QuestionPath } from "./schema.ts";

/**
 * Withdraws a question. A question that was withdrawn before stays as it is.
 * @throws {AppError} forbidden for everybody but its asker, the owner of the key that asked it, and
 * project admins; already_answered; conflict if it ended in another way
 */
export async function withdrawQuestion(ctx: ProjectContext, input: QuestionPath): Promise<Question> {
  return await transact(ctx, async (ctx) => {
    const [, question] = await inOrder(lockTicket(ctx, input.ticketId), readQuestion(ctx, input));
    requireAsker(ctx, question, "withdraw");
    requireScopeOf(ctx, question);
    refuseEnded(question, "withdraw");
    return await endQuestion(ctx, input, { status: "withdrawn" });
  });
}
