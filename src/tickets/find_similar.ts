import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { embeddedText, findNearest } from "./_similar.ts";
import type { FindSimilar, SimilarTicket } from "./schema.ts";

/** Finds similar tickets without creating a ticket, for a form that is still being filled in. */
export async function findSimilarTickets(
  ctx: ProjectContext,
  input: FindSimilar,
): Promise<{ similar_existing: SimilarTicket[] }> {
  if (ctx.config.EMBEDDING_THREADS === 0) {
    throw new AppError("not_configured", "The hint of similar tickets is switched off (EMBEDDING_THREADS=0)");
  }
  const embedding = await ctx.embedder.embed(embeddedText(input), { lane: ctx.actor.user.account_id });
  if (!embedding) throw new AppError("unavailable", "The model could not answer in time");
  return { similar_existing: await findNearest(ctx, embedding) };
}
