import type { Context } from "../core/context.ts";
import type { Payload } from "../core/queue.ts";
import { embeddedText, toStoredVector } from "./_similar.ts";

const BACKFILL_TIMEOUT_MS = 30_000;

/**
 * Embeds a ticket that has no embedding yet, and embeds it again if its text changes during the
 * work. Such a change may have enqueued no job of its own, because this job was still waiting then.
 * @throws {Error} when the model doesn't answer, so that the job is tried again
 */
export async function embedTicket(ctx: Context, input: Payload<"embed-ticket">): Promise<void> {
  const [ticket] = await ctx.db<{ title: string; description: string }[]>`
    select t.title, t.description from tickets t where t.id = ${input.ticket_id}::uuid
      and not exists (select from ticket_embeddings e where e.ticket_id = t.id)`;
  if (!ticket) return;
  const embedding = await ctx.embedder.embed(embeddedText(ticket), {
    timeoutMs: BACKFILL_TIMEOUT_MS,
    priority: "backfill",
  });
  if (!embedding) {
    const { state, reason } = ctx.embedder.state();
    const why = state === "failed" ? `: ${reason}` : "";
    throw new Error(`the model gave no embedding for ticket ${input.ticket_id}${why}`);
  }
  const stored = await ctx.db`
    insert into ticket_embeddings (ticket_id, project_id, open, embedding)
    select t.id, t.project_id, t.status = 'open', ${toStoredVector(embedding)}::vector
    from tickets t where t.id = ${input.ticket_id}::uuid and t.title = ${ticket.title} and t.description = ${ticket.description}
    for share of t
    on conflict (ticket_id) do nothing`;
  if (stored.count === 0) await embedTicket(ctx, input);
}
