import { hasScope, visibleProjects } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { pageLimit } from "../core/planner.ts";
import {
  isStillThere,
  mayBeRead,
  meantFor,
  newsColumns,
  type NewsRow,
  newsTables,
  ownActs,
  toNewsItem,
} from "./_rows.ts";
import type { ListNews, NewsList } from "./schema.ts";

/** The latest acts of a key that name the tickets on which it works, and the latest mentions. */
const ACTS = 2000;
const MENTIONS = 50;

/**
 * Returns what others did since an agent's last look, oldest first, on the tickets on which the
 * agent's key has acted, and comments that mention the key's bot user. A session gets nothing,
 * because people have the inbox.
 */
export async function listNews(ctx: ActorContext, { agent = "", since, limit }: ListNews): Promise<NewsList> {
  const { db, actor } = ctx;
  const { user, credential } = actor;
  if (credential.type !== "key") return { news: [], more: false };
  const unseen = since
    ? db`h.created_at > ${since}::timestamptz`
    : db`h.id > l.seen and h.id <> all (l.recent)`;
  const rows = await db<NewsRow[]>`
    with l as materialized (
      select coalesce(max(seen) filter (where agent = ${agent}), max(seen), 0) as seen,
        coalesce((select recent from agent_looks where key_id = ${credential.id}::uuid and agent = ${agent}), '{}') as recent
      from agent_looks where key_id = ${credential.id}::uuid
    ), works as (
      select h.ticket_id, min(h.id) as first from (
        select h.ticket_id, h.id from history h where ${ownActs(db, actor)} order by h.id desc limit ${ACTS}
      ) h where h.ticket_id is not null group by h.ticket_id
    ), named as (
      select distinct c.ticket_id from (
        select c.ticket_id from comments c
        where ${user.kind === "bot"} and c.mentions @> array[${user.id}::uuid] and c.mentions <> '{}'
        order by c.id desc limit ${MENTIONS}
      ) c
    ), places as (
      select ticket_id, first from works
      union all select ticket_id, null from named where ticket_id not in (select ticket_id from works)
    )
    select n.* from places w cross join l cross join lateral (
      select ${newsColumns(db, actor)} from history h ${newsTables(db)}
      where h.ticket_id = w.ticket_id and ${unseen} and h.id > coalesce(w.first, 0) and ${meantFor(db, actor)}
        and ${mayBeRead(db, hasScope(actor, "tasks:read"))}
        and (w.first is not null or c.mentions @> array[${user.id}::uuid])
        and not (${ownActs(db, actor)}) and ${isStillThere(db)} and h.project_id in ${
    visibleProjects(db, actor)
  }
      order by h.id limit ${pageLimit(db, limit)}
    ) n order by n.id limit ${pageLimit(db, limit)}`;
  return { news: rows.slice(0, limit).map(toNewsItem), more: rows.length > limit };
}
