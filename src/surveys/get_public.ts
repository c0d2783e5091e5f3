import type { RequestContext } from "../core/context.ts";
import { readSurvey } from "./_rows.ts";
import type { PublicSurvey } from "./schema.ts";

/**
 * Limits each address. The attempts are enough for people in one room who share an address, and too
 * few to guess codes.
 */
const READS = { name: "survey", points: 120, seconds: 60 };

/** @throws {AppError} not_found, rate_limited */
export async function getPublicSurvey(ctx: RequestContext, input: { code: string }): Promise<PublicSurvey> {
  await ctx.limits.take(READS, ctx.address, ctx.headers);
  const { id: _, ...survey } = await readSurvey(ctx, input.code);
  return survey;
}
