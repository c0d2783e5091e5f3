import { toVectorLiteral } from "../embedding/embedder.ts";
import type { ProjectContext } from "../core/context.ts";
import { MAX_SIMILAR, SIMILARITY_THRESHOLD, type SimilarTicket } from "./schema.ts";

/** By how much of itself each number of a stored vector may differ from the model's. */
const SPREAD = 1.7e-5;
/** A cosine of exactly 0.65 may come out so much lower, by the spread and by the single precision of what is stored. */
const PRECISION = 2e-5;

/** What the model reads of a ticket. */
export function embeddedText(ticket: { title: string; description: string }): string {
  return `${ticket.title}\n${ticket.description}`;
}

/**
 * An embedding as it is stored: no two are equal, be their texts. Some thousand equal vectors stop the search in pgvector's
 * graph, where among equals no step leads nearer, and other tickets are not found. Signs and zeros stay.
 */
export function toStoredVector(embedding: Float32Array): string {
  return toVectorLiteral(embedding.map((number) => number * (1 + SPREAD * (2 * Math.random() - 1))));
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
