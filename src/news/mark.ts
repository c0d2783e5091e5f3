import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { MarkNews } from "./schema.ts";

/**
 * Remembers that an agent has seen some news, so that it isn't told of them again. Of the last
 * minute each item is remembered by itself, because a change that began before may commit after it.
 * @throws {AppError} forbidden for a session
 */
export async function markNews({ db, actor }: ActorContext, { agent = "", ids }: MarkNews): Promise<void> {
  const { credential } = actor;
  if (credential.type !== "key") throw new AppError("forbidden", "Only an API key has news");
  await db`
    insert into agent_looks as l (key_id, agent, seen, recent)
    select ${credential.id}::uuid, ${agent}, coalesce(max(h.id) filter (where h.created_at < now() - interval '1 minute'),
        (select max(seen) from agent_looks where key_id = ${credential.id}::uuid), 0),
      coalesce(array_agg(h.id) filter (where h.created_at >= now() - interval '1 minute'), '{}')
    from history h where h.id = any (${ids}::bigint[])
    on conflict (key_id, agent) do update set seen = greatest(l.seen, excluded.seen),
      recent = array(select distinct r from unnest(l.recent || excluded.recent) r where r > greatest(l.seen, excluded.seen))`;
}
