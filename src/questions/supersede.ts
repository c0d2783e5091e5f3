import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { checkAsked } from "./_asked.ts";
import { endQuestion, requireAsker } from "./_end.ts";
import { insertQuestion } from "./_insert.ts";
import { readQuestion, refuseEnded } from "./_rows.ts";
import { requireScopeOf } from "./_task.ts";
import type { Question, SupersedeQuestion } from "./schema.ts";

/**
 * Replaces a pending question with another one. The task that waits keeps waiting.
 * @returns the new question
 * @throws {AppError} forbidden for everybody but its asker and project admins; already_answered;
 * conflict
 */
export async function supersedeQuestion(ctx: ProjectContext, input: SupersedeQuestion): Promise<Question> {
  return await transact(ctx, async (ctx) => {
    const [ticket, old] = await inOrder(lockTicket(ctx, input.ticketId), readQuestion(ctx, input));
    requireAsker(ctx, old, "supersede");
    requireScopeOf(ctx, old);
    refuseEnded(old, "supersede");
    if (old.resolver === "human_only" && input.resolver !== "human_only") {
      throw invalidField(
        "resolver",
        "Must stay human_only, because the replaced question is for people only",
      );
    }
    await checkAsked(ctx, input, ticket.version);
    const { questionId: _, ...asked } = input;
    const question = await insertQuestion(ctx, {
      ...asked,
      ...(old.task_id !== null && { task_id: asked.task_id ?? old.task_id }),
    });
    await endQuestion(ctx, input, { status: "superseded", superseded_by: question.id });
    return question;
  });
}
