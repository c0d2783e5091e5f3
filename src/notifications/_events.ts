import type { Db } from "../../db/open.ts";
import { eventType } from "../core/event_types.ts";
import type { EventRange } from "../core/follower.ts";
import type { Author } from "../core/schema.ts";

/** An event of a ticket of which somebody may have to be notified. */
export interface TicketEvent {
  type: string;
  at: string;
  actor: Author;
  project_id: string;
  ticket_id: string;
  /** The ticket after the change. */
  stage: string;
  status: string;
  entity: string;
  entity_id: string;
  action: string;
  /** The fields of a thing that was created. */
  created: Record<string, unknown>;
  /** The fields that changed. Of a ticket only those that matter here, and null for those that stayed. */
  changes: Record<string, [from: unknown, to: unknown] | null>;
  /** The texts that an edited comment had before. */
  earlier: string[];
  /** The ticket came into validation, and has test cases that nobody has decided. */
  awaits_approval: boolean;
}

type ChangeRow = Omit<TicketEvent, "type"> & { new_status: string | null };

/** Reads the events that may concern somebody, without imported ones. */
export async function readTicketEvents(db: Db, { after, last }: EventRange): Promise<TicketEvent[]> {
  const rows = await db<ChangeRow[]>`
    select h.created_at as at, h.actor, h.project_id, h.ticket_id, e.stage, e.status, h.entity, h.entity_id, h.action,
      case h.entity when 'ticket' then jsonb_build_object('assignee_user_id', case when h.action = 'unblocked'
          then (select to_jsonb(t.assignee_user_id) from tickets t where t.id = h.ticket_id)
          else h.to_value -> 'assignee_user_id' end)
        else coalesce(h.to_value, '{}') end as created,
      case h.entity when 'ticket' then jsonb_build_object('stage', h.changes -> 'stage',
        'assignee_user_id', h.changes -> 'assignee_user_id') else coalesce(h.changes, '{}') end as changes,
      h.changes -> 'status' ->> 1 as new_status,
      case when h.entity = 'comment' and h.action = 'changed' then array(
        select coalesce(o.to_value ->> 'body', o.changes -> 'body' ->> 1) from history o
        where o.ticket_id = h.ticket_id and o.entity = 'comment' and o.entity_id = h.entity_id and o.id < h.id
          and coalesce(o.to_value ->> 'body', o.changes -> 'body' ->> 1) is not null
        order by o.id) else '{}' end as earlier,
      case when h.entity = 'ticket' and h.changes -> 'stage' ->> 1 = 'validation'
        then exists (select from test_cases c where c.ticket_id = h.ticket_id and c.status = 'pending') else false end as awaits_approval
    from events e join history h on h.id = e.history_id
    where e.seq > ${after}::bigint and e.seq <= ${last}::bigint and not e.imported and h.ticket_id is not null
      and case h.action
        when 'created' then h.entity in ('question', 'comment', 'task', 'test_case')
          or h.entity = 'ticket' and h.to_value ? 'assignee_user_id'
        when 'unblocked' then true
        when 'changed' then case h.entity
          when 'ticket' then h.changes ? 'stage' or h.changes -> 'assignee_user_id' ->> 1 is not null
          when 'question' then h.changes -> 'status' ->> 0 = 'pending'
          when 'comment' then h.changes ? 'body'
          when 'task' then h.changes -> 'assignee_user_id' ->> 1 is not null
          when 'agent_run' then h.changes -> 'status' ->> 1 = 'failed'
          end
        end
    order by e.seq`;
  return rows.map(({ new_status, ...row }) => ({ ...row, type: eventType({ ...row, new_status }) }));
}
