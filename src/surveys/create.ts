import { v7 as uuid } from "uuid";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { conflictOf } from "../core/failures.ts";
import { jsonb } from "../core/json.ts";
import { transact } from "../core/transact.ts";
import { surveyColumns } from "./_rows.ts";
import type { CreateSurvey, Survey } from "./schema.ts";

/** @throws {AppError} conflict if another survey has the code, even a closed one */
export async function createSurvey(ctx: ActorContext, input: CreateSurvey): Promise<Survey> {
  return await transact(ctx, async (ctx) => {
    const [survey] = await ctx.db<[Survey]>`
      insert into scope_surveys as s (id, code, title, questions, created_by)
      values (${uuid()}::uuid, ${input.code}, ${input.title}, ${jsonb(ctx.db, input.questions)},
        ${ctx.actor.user.id}::uuid)
      returning ${surveyColumns(ctx.db)}`;
    await recordAudit(ctx, {
      // The audit entry belongs to no account, because account admins may read their account's
      // audit list but not the codes of surveys.
      account_id: null,
      action: "survey.created",
      target_type: "survey",
      target_id: survey.id,
      details: { code: survey.code },
    });
    return survey;
  }).catch((error: unknown) => {
    throw conflictOf(error, { scope_surveys_code_key: `Another survey has the code ${input.code}` });
  });
}
