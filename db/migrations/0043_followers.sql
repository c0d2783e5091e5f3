-- The work after a change is done by followers of the numbered events (src/core/follower.ts), each with a position of
-- its own. Notifications were written by triggers, and three tables with one row each held the positions.

-- The events that triggers have told people of need no follower any more, and watched tickets are told of once more here.
do $$
begin
  loop
    exit when (select numbered from number_events()) = 0;
  end loop;
end $$;
with change as (
  select distinct on (h.ticket_id, h.actor) h.ticket_id, h.project_id, h.entity, h.entity_id, h.actor
  from events e join history h on h.id = e.history_id
  where e.seq > (select last_seq from notification_cursor)
    and h.ticket_id is not null and h.action = 'changed' and ((h.entity = 'ticket' and h.changes ? 'stage')
      or (h.entity = 'agent_run' and h.changes -> 'status' ->> 1 = 'failed'))
  order by h.ticket_id, h.actor, e.seq desc
)
select tell(f.id, null, c.ticket_id, c.project_id, 'change',
  event_of(case c.entity when 'ticket' then 'ticket.changed' else 'agent_run.failed' end, c.entity, c.entity_id, c.actor))
from change c cross join lateral followers(c.ticket_id) as f (id);

create table event_followers (
  name text primary key,
  seq bigint not null -- the last event that the follower has handled
);
insert into event_followers (name, seq)
select 'notifications', last_seq from event_counter union all
select 'webhooks', seq from outbound_cursor union all
select 'analysis', coalesce((select min(e.seq) - 1 from events e where e.history_id > c.history_id), n.last_seq)
from analysis_cursor c, event_counter n;
drop table notification_cursor, outbound_cursor, analysis_cursor;

-- The analyzer compares marks to notice a change during its work. Numbers of events follow the order of commits.
alter table analysis_backlog rename history_id to seq;
update analysis_backlog set seq = 0;

drop trigger questions_tell_insert on questions;
drop trigger questions_tell_update on questions;
drop trigger comments_tell_insert on comments;
drop trigger comments_tell_update on comments;
drop trigger tasks_tell_insert on tasks;
drop trigger tasks_tell_update on tasks;
drop trigger tickets_tell_validation on tickets;
drop trigger test_cases_tell_insert on test_cases;
drop function tell_of_new_questions();
drop function tell_of_ended_questions();
drop function tell_of_new_comment();
drop function tell_of_edited_comment();
drop function tell_of_comment(comments, uuid[], boolean);
drop function tell_of_assignment();
drop function tell_of_validation();
drop function tell_of_case();
drop function tell(uuid, uuid, uuid, uuid, text, jsonb);
drop function event_of(text, text, text, jsonb);
drop function is_quiet();
drop function deciders(uuid, text, uuid);
drop function followers(uuid);
drop function hears_mention(uuid, comments);
drop function author_recipient(jsonb);
drop function recipient_of(uuid, uuid);

-- Nobody is notified of imported events, which happened elsewhere before. The import marks them in its own transaction.
alter table event_outbox add imported boolean not null default false;
alter table events add imported boolean not null default false;
