import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { recordEvents } from "../core/history.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { findTicket, type NamedTicket } from "./find_ticket.ts";
import { getTicket } from "./get.ts";
import { lockTicket, lockTicketWithKin } from "./lock.ts";
import { lockOrder } from "./lock_order.ts";
import { lowestRank, MAX_RANK, ranksBetween } from "./ranks.ts";
import { LONG_RANK, spreadRanks } from "./rebalance_ranks.ts";
import type { PlaceTicket, Ticket, UpdatedTicket } from "./schema.ts";
import { updateTicket } from "./update.ts";

/**
 * Puts a ticket beside another one in the order of the project, into another column or stage, or all
 * of it. Placements in one project come one after the other, so that several at one place all keep
 * theirs. The ticket's key lies between those of its neighbours, which stay as they are.
 * @throws {AppError} invalid_request; version_conflict; one of GATE_CODES
 */
export async function placeTicket(ctx: ProjectContext, input: PlaceTicket): Promise<UpdatedTicket> {
  const { before: _, after: __, ...change } = input;
  const anchor = await anchorOf(ctx, input);
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    if (!anchor) return await updateTicket(ctx, change);
    const [, locked] = await inOrder(
      lockOrder(ctx, project.id),
      input.stage === undefined
        ? lockTicket(ctx, input.ticketId)
        : lockTicketWithKin(ctx, input.ticketId, { to: input.stage }),
    );
    const changed = await updateTicket(ctx, change);
    const place = await placeBeside(ctx, changed, anchor);
    if (place === null) return changed;
    const bump = changed.version === locked.version ? 1 : 0;
    const details = { [anchor.side]: anchor.ticket_ref };
    const [, , after] = await inOrder(
      db`
        update tickets set place = ${place}, version = version + ${bump}, updated_at = clock_timestamp()
        where id = ${changed.id}::uuid`,
      recordEvents(ctx, [{ project_id: project.id, ticket_id: changed.id, action: "placed", details }]),
      getTicket(ctx, input),
    );
    if (place.length > LONG_RANK) {
      await ctx.queue.enqueue(db, "rebalance-ranks", { project_id: project.id });
    }
    return { ...changed, ...after };
  });
}

interface Anchor extends NamedTicket {
  /** On which side of the anchor the ticket goes. */
  side: "before" | "after";
}

async function anchorOf(ctx: ProjectContext, input: PlaceTicket): Promise<Anchor | null> {
  const { before, after, stage, column_id, ticketId } = input;
  if (before !== undefined && after !== undefined) {
    throw invalidField("after", "Can't be sent together with before");
  }
  const [side, named] = before !== undefined ? ["before", before] as const : ["after", after] as const;
  if (named === undefined) {
    if (stage === undefined && column_id === undefined) throw invalidField("before", "Says no place");
    return null;
  }
  const anchor = await findTicket(ctx, side, named, "project");
  if (anchor.id === ticketId) throw invalidField(side, "Is the ticket itself");
  return { ...anchor, side };
}

/** Returns the key for the place; null if the ticket is there. Call it behind the order's lock. */
async function placeBeside(ctx: ProjectContext, ticket: Ticket, anchor: Anchor): Promise<string | null> {
  const [above, below] = await gapBeside(ctx, ticket, anchor);
  if ((above === null || above < ticket.rank) && (below === null || ticket.rank < below)) return null;
  const [place] = ranksBetween(above, below, 1);
  if (place!.length <= MAX_RANK) return place!;
  // No job has run for a thousand placements.
  await spreadRanks(ctx, ctx.project.id);
  return await placeBeside(ctx, await getTicket(ctx, { ticketId: ticket.id }), anchor);
}

/** The keys above and below the place; null where there is none. Tickets with the anchor's key stay together. */
async function gapBeside(
  { db, project }: ProjectContext,
  { id }: Ticket,
  anchor: Anchor,
): Promise<[above: string | null, below: string | null]> {
  const [follows, direction] = anchor.side === "before" ? [db`<`, db`desc`] : [db`>`, db`asc`];
  const [{ rank, next, next_number }] = await db<
    [{ rank: string; next: string | null; next_number: number }]
  >`
    select a.rank, p.next_number, (
      select t.rank from tickets t
      where t.project_id = ${project.id}::uuid and t.rank ${follows} a.rank and t.id <> ${id}::uuid
      order by t.rank ${direction}, t.id ${direction} limit 1) as next
    from tickets a join projects p on p.id = a.project_id where a.id = ${anchor.id}::uuid`;
  return anchor.side === "before" ? [next ?? lowestRank(next_number, rank), rank] : [rank, next];
}
