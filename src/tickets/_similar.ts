import { toVectorLiteral } from "../core/embed.ts";
import type { ProjectContext } from "../core/context.ts";
import { MAX_SIMILAR, SIMILARITY_THRESHOLD, type SimilarTicket } from "./schema.ts";

/** Vectors are kept in single precision: a cosine of exactly 0.65 may come out so much lower. */
const PRECISION = 1e-6;

/** What the model reads of a ticket. */
export function embeddedText(ticket: { title: string; description: string }): string {
  return `${ticket.title}\n${ticket.description}`;
}

/** The open tickets of the project at or above the threshold, best first; a ticket that isn't stored yet is not among them. */
export async function findNearest(ctx: ProjectContext, embedding: Float32Array): Promise<SimilarTicket[]> {
  return await ctx.db<SimilarTicket[]>`
    select ${ctx.project.key} || '-' || t.number as ticket_ref, t.title, t.status, t.stage,
      round(s.similarity::numeric, 4)::float8 as similarity
    from similar_tickets(${ctx.project.id}::uuid, ${toVectorLiteral(embedding)}::vector, ${
    SIMILARITY_THRESHOLD - PRECISION
  }::float8,
      ${MAX_SIMILAR}) s
    join tickets t on t.id = s.ticket_id
    order by s.similarity desc`;
}
