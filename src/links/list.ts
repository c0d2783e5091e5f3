import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { linkColumns, linksOf } from "./_rows.ts";
import type { Link, LinkList } from "./schema.ts";

/** Returns the links of a ticket, oldest first. Links to tickets that the caller may not see are counted only. */
export async function listLinks(ctx: ProjectContext, { ticketId }: TicketPath): Promise<LinkList> {
  const { db, actor } = ctx;
  const [, rows] = await Promise.all([
    requireTicket(ctx, ticketId),
    db<(Link & { visible: boolean })[]>`
      select ${linkColumns(ctx)}, p.id in ${visibleProjects(db, actor)} as visible
      from ${
      linksOf(ctx, ticketId)
    } l join tickets t on t.id = l.other_id join projects p on p.id = t.project_id
      order by l.created_at, l.id`,
  ]);
  const links = rows.filter(({ visible }) => visible).map(({ visible: _, ...link }) => link);
  return { links, hidden: rows.length - links.length, next_cursor: null };
}
