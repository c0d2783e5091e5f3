import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { findTicket, type NamedTicket } from "../tickets/find_ticket.ts";
import { requireTicket } from "../tickets/get.ts";
import { lockWithOther, noSuchTicket } from "../tickets/lock.ts";
import { lockGraph } from "../tickets/lock_graph.ts";
import { markDuplicates } from "../tickets/mark_duplicate.ts";
import { refuseCycle } from "./_cycle.ts";
import { recount } from "../tickets/recount.ts";
import { recordOtherSide } from "./record.ts";
import { linkColumns, linksOf } from "./_rows.ts";
import { type CreatedLink, type CreateLink, type Link, MAX_LINKS } from "./schema.ts";

/**
 * Links two tickets. The same link again is answered with the one that is there.
 * @throws {AppError} invalid_request with the path in `details.cycle` for blockers in a ring;
 * conflict past 200 links of one of the tickets, or if the other project is archived
 */
export async function createLink(ctx: ProjectContext, input: CreateLink): Promise<CreatedLink> {
  const { kind, ticketId } = input;
  await requireTicket(ctx, ticketId);
  const other = await findTicket(ctx, "ticket", input.ticket, "account");
  if (other.id === ticketId) throw invalidField("ticket", "Is the ticket itself");
  return await transact(ctx, async (ctx) => {
    await lockGraph(ctx);
    const locked = await lockWithOther(ctx, [ticketId], other.id);
    if (locked.length < 2) throw noSuchTicket();
    const there = await readLink(ctx, ticketId, kind, other.id);
    if (there) return { ...there, _idempotent_replay: true };
    if (kind === "duplicates") await markDuplicates(ctx, [ticketId], other.id);
    else await insertLink(ctx, input, other);
    return (await readLink(ctx, ticketId, kind, other.id))!;
  });
}

async function readLink(
  ctx: ProjectContext,
  ticketId: string,
  kind: string,
  otherId: string,
): Promise<Link | undefined> {
  const [link] = await ctx.db<Link[]>`
    select ${linkColumns(ctx)}
    from ${
    linksOf(ctx, ticketId)
  } l join tickets t on t.id = l.other_id join projects p on p.id = t.project_id
    where l.kind = ${kind} and l.other_id = ${otherId}::uuid`;
  return link;
}

async function insertLink(
  ctx: ProjectContext,
  { kind, ticketId }: CreateLink,
  other: NamedTicket,
): Promise<void> {
  const { db, project } = ctx;
  await refuseMore(ctx, ticketId, other);
  const [from, to] = kind === "blocks" || kind === "relates" && other.id < ticketId
    ? [other.id, ticketId]
    : [ticketId, other.id];
  if (kind !== "relates") await refuseCycle(ctx, from, to);
  const same = other.project_id === project.id;
  const id = uuid();
  await db`
    insert into ticket_links (id, ticket_id, project_id, kind, other_id, other_project_id, ref)
    select ${id}::uuid, a.id, a.project_id, ${kind === "relates" ? kind : "blocked_by"}, b.id, b.project_id,
      case when ${same} then ${project.key} || '-' || b.number end
    from tickets a, tickets b where a.id = ${from}::uuid and b.id = ${to}::uuid`;
  await recordOtherSide(ctx, [id], "created");
  if (kind !== "relates") await recount(ctx, [from]);
}

async function refuseMore(ctx: ProjectContext, ticketId: string, other: NamedTicket): Promise<void> {
  const counts = await Promise.all([ticketId, other.id].map(async (id) => {
    const [{ count }] = await ctx.db<[{ count: number }]>`
      select count(*) from ${linksOf(ctx, id)} l where l.kind <> 'duplicated_by'`;
    return count;
  }));
  if (Math.max(...counts) < MAX_LINKS) return;
  throw new AppError("conflict", `A ticket may have at most ${MAX_LINKS} links`);
}
