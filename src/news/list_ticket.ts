import { hasScope } from "../core/access.ts";
import { batchedRead } from "../core/batched_read.ts";
import type { ProjectContext } from "../core/context.ts";
import { noSuchTicket } from "../tickets/lock.ts";
import {
  isStillThere,
  mayBeRead,
  newsColumns,
  type NewsRow,
  newsTables,
  ownActs,
  toNewsItem,
  waitedFor,
} from "./_rows.ts";
import type { ListTicketNews, TicketNews } from "./schema.ts";

/** The most items of an answer. The latest ones are told. */
const MOST = 10;

/** Returns what others did on a ticket, oldest first, but only the latest items. */
export async function listTicketNews(ctx: ProjectContext, input: ListTicketNews): Promise<TicketNews> {
  const found = await newsOfTickets.get(ctx, JSON.stringify([input.ticketId, input.after ?? null]));
  if (!found) throw noSuchTicket();
  return found;
}

/** Shares reads, because one event may wake many agents that wait with one key. */
const newsOfTickets = batchedRead({
  name: "ticket_news",
  scope: ({ project, actor }: ProjectContext) => ({
    projectId: project.id,
    readsTasks: hasScope(actor, "tasks:read"),
    actor: {
      user: { id: actor.user.id },
      credential: { type: actor.credential.type, id: actor.credential.id },
    },
  }),
  async load(db, { projectId, readsTasks, actor }, keys) {
    const of = actor as ProjectContext["actor"];
    const places = keys.map((key) => JSON.parse(key) as [string, number | null]);
    const rows = await db<(NewsRow & { key: string; last: number })[]>`
      select w.key, w.last, n.* from (
        select w.key, x.id as ticket_id, coalesce((select max(h.id) from history h where h.ticket_id = x.id), 0) as last,
          coalesce(w.after, (select max(h.id) from history h where h.ticket_id = x.id and ${
      ownActs(db, of)
    })) as after
        from unnest(${keys}::text[], ${places.map(([id]) => id)}::uuid[], ${
      places.map(([, after]) => after)
    }::bigint[]) as w (key, ticket_id, after)
        join tickets x on x.id = w.ticket_id and x.project_id = ${projectId}::uuid
      ) w left join lateral (
        select ${newsColumns(db, of)} from history h ${newsTables(db)}
        where h.ticket_id = w.ticket_id and h.id > coalesce(w.after, 0) and h.id <= w.last and not (${
      ownActs(db, of)
    })
          and (w.after is not null and ${
      waitedFor(db)
    } or w.after is null and h.entity = 'question' and h.changes ? 'status')
          and ${isStillThere(db)} and ${mayBeRead(db, readsTasks)}
        order by h.id desc limit ${MOST}
      ) n on true order by w.key, n.id`;
    return new Map(
      [...Map.groupBy(rows, ({ key }) => key)].map(([key, ofTicket]) => [key, {
        last: ofTicket[0]!.last,
        news: ofTicket.flatMap(({ key: _, last: __, ...row }) => row.id === null ? [] : [toNewsItem(row)]),
      }]),
    );
  },
});
