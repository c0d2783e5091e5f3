import type { Context } from "../core/context.ts";
import { transact } from "../core/transact.ts";

/** The most events in one transaction. */
const BATCH = 2000;

/**
 * Tells the watchers of a ticket that it moved, was closed or reopened, or that an agent's run on
 * it failed. It continues after the last event that it has read. So each event is told once, and
 * changes of tickets cost nothing more.
 */
export async function followChanges(ctx: Context): Promise<void> {
  while (await transact(ctx, followSome) === BATCH);
}

async function followSome({ db }: Context): Promise<number> {
  const [cursor] = await db<{ last_seq: number }[]>`
    select last_seq from notification_cursor for update skip locked`;
  if (!cursor) return 0;
  const [row] = await db<[{ seen: number; last: number | null }]>`
    with page as materialized (
      select e.seq, e.history_id from events e where e.seq > ${cursor.last_seq}::bigint order by e.seq limit ${BATCH}
    ), change as (
      select distinct on (h.ticket_id, h.actor) h.ticket_id, h.project_id, h.entity, h.entity_id, h.actor, p.seq
      from page p join history h on h.id = p.history_id
      where h.ticket_id is not null and h.action = 'changed' and ((h.entity = 'ticket' and h.changes ? 'stage')
        or (h.entity = 'agent_run' and h.changes -> 'status' ->> 1 = 'failed'))
      order by h.ticket_id, h.actor, p.seq desc
    ), told as (
      select tell(f.id, null, c.ticket_id, c.project_id, 'change',
        event_of(case c.entity when 'ticket' then 'ticket.changed' else 'agent_run.failed' end, c.entity, c.entity_id, c.actor))
      from change c cross join lateral followers(c.ticket_id) as f (id)
    )
    select count(*)::integer as seen, max(p.seq) as last, (select count(*) from told) as told from page p`;
  if (row.last !== null) await db`update notification_cursor set last_seq = ${row.last}::bigint`;
  return row.seen;
}
