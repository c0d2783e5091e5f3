import { NIL } from "uuid";
import type { Context } from "../core/context.ts";
import { log } from "../core/log.ts";
import type { Payload } from "../core/queue.ts";
import { embedTicket } from "./embed.ts";

/** One job works for much less than a job's time limit, then leaves the rest to another job. */
const BUDGET_MS = 20_000;
const STEP = 200;

/**
 * Embeds tickets that have no embedding, because they were created while the model was unavailable
 * or were restored without one. It takes tickets newer than `after` in the order of their ids. A
 * ticket that the model refuses is skipped until the next round.
 */
export async function backfillEmbeddings(
  ctx: Context,
  { after }: Payload<"backfill-embeddings">,
): Promise<void> {
  const deadline = performance.now() + BUDGET_MS;
  let last = after;
  for (;;) {
    const step = await findMissing(ctx, last);
    for (const id of step) {
      if (performance.now() > deadline) return await leaveRest(ctx, last);
      await tryToEmbed(ctx, id);
      last = id;
    }
    if (step.length < STEP) return;
  }
}

async function findMissing({ db }: Context, after: string = NIL): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select t.id from tickets t
    where t.id > ${after}::uuid
      and not exists (select from ticket_embeddings e where e.ticket_id = t.id)
    order by t.id limit ${STEP}`;
  return rows.map(({ id }) => id);
}

async function tryToEmbed(ctx: Context, id: string): Promise<void> {
  try {
    await embedTicket(ctx, { ticket_id: id });
  } catch (error) {
    if (ctx.embedder.state().state !== "ready") throw error;
    log.warn("ticket not embedded", { ticket_id: id, error: String(error) });
  }
}

async function leaveRest(ctx: Context, after: string | undefined): Promise<void> {
  await ctx.queue.enqueue(ctx.db, "backfill-embeddings", { after });
}
