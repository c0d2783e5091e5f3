import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { requireTicket } from "../tickets/get.ts";
import { lockWithOther } from "../tickets/lock.ts";
import { lockGraph } from "../tickets/lock_graph.ts";
import { recount } from "../tickets/recount.ts";
import { recordOtherSide } from "./record.ts";
import { linksOf, noSuchLink } from "./_rows.ts";
import type { LinkPath } from "./schema.ts";

/** Deletes a link from both tickets. @throws {AppError} not_found */
export async function deleteLink(ctx: ProjectContext, { ticketId, linkId }: LinkPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db, actor } = ctx;
    await requireTicket(ctx, ticketId);
    await lockGraph(ctx);
    const [link] = await db<{ kind: string; other_id: string }[]>`
      select l.kind, l.other_id from ${linksOf(ctx, ticketId)} l join tickets t on t.id = l.other_id
      where l.id = ${linkId}::uuid and t.project_id in ${visibleProjects(db, actor)}`;
    if (!link) throw noSuchLink();
    // The locks keep the blocker from opening or closing until its count is changed.
    await lockWithOther(ctx, [ticketId], link.other_id);
    const isMark = link.kind.startsWith("duplicate");
    if (!isMark) await recordOtherSide(ctx, [linkId], "deleted");
    await db`delete from ${db(isMark ? "ticket_duplicates" : "ticket_links")} where id = ${linkId}::uuid`;
    if (link.kind.startsWith("block")) {
      await recount(ctx, [link.kind === "blocks" ? link.other_id : ticketId]);
    }
  });
}
