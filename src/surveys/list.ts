import type { Context } from "../core/context.ts";
import { surveyColumns } from "./_rows.ts";
import type { Survey } from "./schema.ts";

/** The most surveys in the list. Nobody creates more of them manually. */
const MOST = 1_000;

/** Returns the surveys, newest first. */
export async function listSurveys(ctx: Context): Promise<{ surveys: Survey[] }> {
  const surveys = await ctx.db<Survey[]>`
    select ${surveyColumns(ctx.db)} from scope_surveys s order by s.created_at desc, s.id desc limit ${MOST}`;
  return { surveys };
}
