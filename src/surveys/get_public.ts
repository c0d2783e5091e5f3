import type { RequestContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { PublicSurvey } from "./schema.ts";

/** Of one address: enough for a room behind one, too few to guess codes. */
const READS = { name: "survey", points: 120, seconds: 60 };

/** @throws {AppError} not_found, rate_limited */
export async function getPublicSurvey(ctx: RequestContext, input: { code: string }): Promise<PublicSurvey> {
  await ctx.limits.take(READS, ctx.address, ctx.headers);
  const { id: _, ...survey } = await readSurvey(ctx, input.code);
  return survey;
}

export async function readSurvey(ctx: RequestContext, code: string): Promise<PublicSurvey & { id: string }> {
  const [survey] = await ctx.db<(PublicSurvey & { id: string })[]>`
    select id, code, title, questions, closed_at is not null as closed from scope_surveys where lower(code) = lower(${code})`;
  if (!survey) throw new AppError("not_found", "No survey has this code");
  return survey;
}
