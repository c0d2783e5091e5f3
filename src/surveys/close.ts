import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { IdPath } from "../core/schema.ts";
import { transact } from "../core/transact.ts";
import { surveyColumns } from "./_rows.ts";
import type { Survey } from "./schema.ts";

/** Closes a survey, so that it takes no more answers. Closing again changes nothing. */
export async function closeSurvey(ctx: ActorContext, input: IdPath): Promise<Survey> {
  return await transact(ctx, async (ctx) => {
    const closed = await ctx.db`
      update scope_surveys set closed_at = now() where id = ${input.id}::uuid and closed_at is null`;
    const [survey] = await ctx.db<Survey[]>`
      select ${surveyColumns(ctx.db)} from scope_surveys s where s.id = ${input.id}::uuid`;
    if (!survey) throw new AppError("not_found", "No such survey");
    if (closed.count > 0) {
      await recordAudit(ctx, {
        account_id: null,
        action: "survey.closed",
        target_type: "survey",
        target_id: survey.id,
      });
    }
    return survey;
  });
}
