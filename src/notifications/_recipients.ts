import type { Db } from "../../db/open.ts";
import { jsonb } from "../core/json.ts";
import { findDeciders } from "../projects/deciders.ts";
import type { Audience, Notice } from "./_reasons.ts";

/** A user, or the agent that calls with one of the user's keys. */
export interface Addressee {
  user_id: string;
  key_id: string | null;
}

type Find = (db: Db, notices: readonly Notice[]) => Promise<Addressee[][]>;

/** Finds the addressees of each notice, with one statement for all audiences of a kind. */
export async function findAddressees(
  db: Db,
  notices: readonly Notice[],
): Promise<Map<Notice, Addressee[]>> {
  const found = new Map<Notice, Addressee[]>();
  for (const [kind, some] of Map.groupBy(notices, ({ audience }) => audience.to)) {
    const addressees = await FINDERS[kind](db, some);
    for (const [index, notice] of some.entries()) found.set(notice, addressees[index] ?? []);
  }
  return found;
}

const FINDERS: Record<Audience["to"], Find> = {
  user: (_, notices) =>
    Promise.resolve(notices.map(({ audience }) => audience.to === "user" ? [person(audience.id)] : [])),

  async deciders(db, notices) {
    const found = await findDeciders(
      db,
      notices.map(({ audience, event: { project_id, actor } }) => ({
        project_id,
        at_least: audience.to === "deciders" ? audience.at_least : "member",
        except: actor.kind === "user" ? actor.id : null,
      })),
    );
    return found.map((ids) => ids.map(person));
  },

  /** The claimant of a task is told as the agent that claimed it, if the claim names a key. */
  async waiting(db, notices) {
    const ids = notices.map(({ event }) => event.entity_id);
    const rows = await db<(Addressee & { id: string })[]>`
      select q.id, q.created_by as user_id, q.key_id from questions q
      where q.id = any (${ids}::uuid[]) and q.created_by is not null
      union
      select q.id, k.assignee_user_id, a.id from questions q join tasks k on k.id = q.task_id
        left join api_keys a on a.id::text = k.assignee_session_id and a.user_id = k.assignee_user_id
      where q.id = any (${ids}::uuid[]) and k.assignee_user_id is not null`;
    return ids.map((id) => rows.filter((row) => row.id === id));
  },

  /**
   * Bots hear of a comment only where it mentions them on an open ticket. They hear of another
   * bot's mention once until a person has commented again, so that two bots don't wake one another
   * for ever.
   */
  async mentioned(db, notices) {
    const asked = notices.map(({ audience, event: { entity_id, status } }) => ({
      user_id: audience.to === "mentioned" ? audience.id : null,
      comment_id: entity_id,
      is_open: status === "open",
    }));
    const rows = await db<{ place: number; user_id: string }[]>`
      select m.place, u.id as user_id
      from (
        select place, (value ->> 'user_id')::uuid as user_id, (value ->> 'comment_id')::uuid as comment_id,
          (value ->> 'is_open')::boolean as is_open
        from jsonb_array_elements(${jsonb(db, asked)}) with ordinality as a (value, place)
      ) m join users u on u.id = m.user_id join comments c on c.id = m.comment_id
      where u.kind = 'human' or (m.is_open and not (c.by_bot and exists (
        select from comments o
        where o.ticket_id = c.ticket_id and o.id < c.id and o.by_bot and u.id = any (o.mentions)
          and o.id > coalesce((
            select p.id from comments p where p.ticket_id = c.ticket_id and not p.by_bot order by p.id desc limit 1),
            '00000000-0000-0000-0000-000000000000'))))`;
    return notices.map((_, index) =>
      rows.filter(({ place }) => place === index + 1).map(({ user_id }) => person(user_id))
    );
  },

  /** The creator, the assignees of the ticket and of its open tasks, and the watchers. A later step leaves out those who muted the ticket. */
  async followers(db, notices) {
    const tickets = [...new Set(notices.map(({ event }) => event.ticket_id))];
    const rows = await db<{ ticket_id: string; ids: string[] }[]>`
      select f.ticket_id, array_agg(u.id order by u.id) as ids
      from (
        select id as ticket_id, created_by as user_id from tickets where id = any (${tickets}::uuid[]) union
        select id, assignee_user_id from tickets where id = any (${tickets}::uuid[]) and assignee_user_id is not null union
        select ticket_id, assignee_user_id from tasks
        where ticket_id = any (${tickets}::uuid[]) and status not in ('done', 'skipped') union
        select ticket_id, user_id from watchers where ticket_id = any (${tickets}::uuid[])
      ) f join users u on u.id = f.user_id and u.kind = 'human'
      group by f.ticket_id`;
    const byTicket = new Map(rows.map(({ ticket_id, ids }) => [ticket_id, ids]));
    return notices.map(({ audience, event }) => {
      const except = audience.to === "followers" ? audience.except : [];
      return (byTicket.get(event.ticket_id) ?? []).filter((id) => !except.includes(id)).map(person);
    });
  },
};

function person(user_id: string): Addressee {
  return { user_id, key_id: null };
}
