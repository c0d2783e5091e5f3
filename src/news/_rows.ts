import type { Db, Fragment } from "../../db/open.ts";
import type { Actor } from "../core/context.ts";
import { eventType } from "../core/event_types.ts";
import type { Author } from "../core/schema.ts";
import type { NewsItem } from "./schema.ts";

export interface NewsRow extends Omit<NewsItem, "type" | "by" | "changed" | "chosen" | "ready"> {
  entity: string;
  action: string;
  new_status: string | null;
  actor: Author & { bot?: boolean };
  by_bot: boolean;
  changed: Record<string, unknown> | null;
  chosen: string[] | null;
  ready: number[] | null;
}

/** Tells whether the credential wrote a row of `history h`. What a key does is its agent's act. */
export function ownActs(db: Db, { user, credential }: Actor): Fragment {
  return credential.type === "key"
    ? db`h.actor ->> 'key_id' = ${credential.id} and h.actor ? 'key_id'`
    : db`h.actor ->> 'id' = ${user.id} and not h.actor ? 'key_id'`;
}

/** The changes of `history h` that others may wait for. */
export function waitedFor(db: Db): Fragment {
  return db`(h.entity = 'comment' and h.action = 'created'
    or h.entity = 'task' and (h.action = 'created' or h.changes ?| array['status', 'assignee_user_id'])
    or h.entity in ('question', 'test_case', 'role') and h.changes ? 'status'
    or h.entity = 'ticket' and (h.changes is not null or h.action = 'unblocked'))`;
}

/** The changes of `history h` of which an agent is told even later, because they may be meant for it. */
export function meantFor(db: Db, { user }: Actor): Fragment {
  return db`(h.entity = 'comment' and h.action = 'created'
    or h.entity = 'question' and h.changes ? 'status'
    or h.entity = 'test_case' and h.changes #>> '{status,1}' in ('approved', 'rejected')
    or h.entity = 'ticket' and (h.changes ? 'status' or h.action = 'unblocked')
    or h.entity = 'task' and h.changes #>> '{assignee_user_id,1}' = ${user.id})`;
}

/** The longest text, in characters, of an item. Anyone who needs the rest reads the thing itself. */
const TEXT_LENGTH = 2_000;

/** The columns of a NewsRow for `history h`, and the tables that they need beside it. */
export function newsColumns(db: Db, { user, credential }: Actor): Fragment {
  const length = db.unsafe(String(TEXT_LENGTH));
  return db`h.id, h.created_at as at, p.key || '-' || t.number as ticket_ref, h.entity, h.entity_id, h.action, h.actor,
    h.changes #>> '{status,1}' as new_status,
    coalesce(u.kind = 'bot', false) or h.actor ? 'key_id' as by_bot,
    coalesce(q.prompt, e.title, k.title, case h.entity when 'role' then h.entity_id when 'ticket' then t.title end) as subject,
    k.number as task_number,
    (select array_agg(o ->> 'label') from jsonb_array_elements(q.options) o where o ->> 'id' = any (q.option_ids)) as chosen,
    left(coalesce(c.body, q.answer_text, h.changes #>> '{note,1}', h.changes #>> '{blocking_reason,1}',
      h.changes #>> '{resolution_note,1}'), ${length}) as text,
    (select jsonb_object_agg(f.key, case when octet_length((f.value -> 1)::text) <= 200 then f.value -> 1 end)
      from jsonb_each(h.changes) f) as changed,
    case when h.entity = 'task' then (
      select array_agg(r.number order by r.number) from tasks r
      where r.ticket_id = h.ticket_id and r.status = 'pending' and r.assignee_user_id is null and t.status = 'open' and t.open_blockers = 0
        and (r.id = k.id or h.changes #>> '{status,1}' in ('done', 'skipped') and k.id = any (r.depends_on_task_ids))
        and not exists (select from tasks d where d.id = any (r.depends_on_task_ids) and d.status not in ('done', 'skipped'))
    ) end as ready,
    coalesce(q.created_by = ${user.id}::uuid and q.created_with = ${credential.type} and q.key_id is not distinct from ${
    credential.type === "key" ? credential.id : null
  }::uuid, false) as mine`;
}

export function newsTables(db: Db): Fragment {
  const idOf = (entity: string) => db`case when h.entity = ${entity} then h.entity_id::uuid end`;
  return db`join tickets t on t.id = h.ticket_id join projects p on p.id = h.project_id
    left join users u on u.id::text = h.actor ->> 'id'
    left join comments c on c.id = ${idOf("comment")}
    left join questions q on q.id = ${idOf("question")}
    left join test_cases e on e.id = ${idOf("test_case")}
    left join tasks k on k.id = ${idOf("task")}`;
}

/** Leaves tasks out for a key that may not read them. */
export function mayBeRead(db: Db, readsTasks: boolean): Fragment {
  return readsTasks ? db`true` : db`h.entity <> 'task'`;
}

/** A comment that was deleted since is no news. */
export function isStillThere(db: Db): Fragment {
  return db`(h.entity <> 'comment' or c.body is not null)`;
}

export function toNewsItem(row: NewsRow): NewsItem {
  const { entity: _, action: __, new_status: ___, actor, by_bot, changed, chosen, ready, ...item } = row;
  const isUser = actor.kind === "user" || actor.kind === "key";
  return {
    ...item,
    type: eventType(row),
    by: {
      id: isUser ? actor.id : null,
      name: actor.name ?? actor.id,
      kind: by_bot || !isUser ? "agent" : "person",
    },
    changed: changed ?? {},
    chosen: chosen ?? [],
    ready: ready ?? [],
  };
}
