import { toVectorLiteral } from "../embedding/embedder.ts";
import type { ProjectContext } from "../core/context.ts";
import { MAX_SIMILAR, SIMILARITY_THRESHOLD, type SimilarTicket } from "./schema.ts";

/** The largest relative difference between a number of a stored vector and the model's number. */
const SPREAD = 1.7e-5;
/**
 * The spread and the single precision of stored numbers can lower a cosine of exactly 0.65 by this
 * much.
 */
const PRECISION = 2e-5;

/** The text of a ticket that the model reads. */
export function embeddedText(ticket: { title: string; description: string }): string {
  return `${ticket.title}\n${ticket.description}`;
}

/**
 * Returns an embedding as it is stored. No two stored vectors are equal, even if their texts are.
 * Some thousand equal vectors would stop the search in pgvector's graph, because no step among
 * equals leads nearer, and other tickets would not be found. Signs and zeros stay.
 */
export function toStoredVector(embedding: Float32Array): string {
  return toVectorLiteral(embedding.map((number) => number * (1 + SPREAD * (2 * Math.random() - 1))));
}

/**
 * Finds the project's open tickets at or above the threshold, best first. A ticket that isn't
 * stored yet is not among them.
 */
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
