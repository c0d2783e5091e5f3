-- One row of history for each change of a thing, with all the fields that changed, where there was one for each field:
-- five for every ticket that a deploy closes. Numbers leave room for a number of its own for each field.
alter table history add changes jsonb; -- of a change: field → [from, to]
alter table history alter id set increment by 64;
update history set changes = jsonb_build_object(field, jsonb_build_array(from_value, to_value)), from_value = null, to_value = null
where action = 'changed';

-- Whoever reopens a ticket wants more than its merge: it no longer closes by itself, until the next merge.
alter table tickets add reopened boolean not null default false;
select set_config('handoff.actor', '{"kind":"job","id":"migration"}', true);
update tickets t set reopened = true
where exists (select from history h where h.ticket_id = t.id and h.entity = 'ticket' and h.changes -> 'status' ->> 1 = 'open'
  and h.id > (select coalesce(max(m.id), 0) from history m
    where m.ticket_id = t.id and m.entity = 'ticket' and m.changes ? 'merge_sha'));

alter table history drop field;

-- The fields one by one, numbered within the room of their change.
create view history_entries as
select h.id + coalesce(c.place, 1) - 1 as id, h.id as history_id, h.project_id, h.ticket_id, h.entity, h.entity_id, h.action,
  c.field, case when c.field is null then h.from_value else nullif(c.pair -> 0, 'null') end as from_value,
  case when c.field is null then h.to_value else nullif(c.pair -> 1, 'null') end as to_value, h.actor, h.request_id, h.created_at
from history h left join lateral jsonb_each(h.changes) with ordinality as c (field, pair, place) on true;

create or replace function follow_merge() returns trigger language plpgsql as $$
declare
  deployed timestamptz;
  failed timestamptz;
begin
  new.merge_sha := lower(new.merge_sha);
  if new.merge_sha is not distinct from old.merge_sha then return new; end if;
  new.reopened := false;
  if (new.deployed_at, new.deploy_failed_at) is distinct from (old.deployed_at, old.deploy_failed_at) then return new; end if;
  select min(d.reported_at) filter (where d.status = 'success'), min(d.reported_at) filter (where d.status = 'failed')
  into deployed, failed
  from deploys d join project_repositories r on lower(r.full_name) = d.repo
  where d.sha = new.merge_sha and r.project_id = new.project_id;
  new.deployed_at := deployed;
  new.deploy_failed_at := case when deployed is null or failed < deployed then failed end;
  return new;
end $$;

-- Writes the history of a table's rows, whoever changes them, with the table's columns spelled out: looking through each
-- row as JSON took five times as long. Columns that are null are left out where a row comes or goes; nulls inside a
-- column's own JSON stay. Nobody has to be named where no row is touched. Call it again when columns come.
create procedure track_history(of_table text, entity text, id_column text, untracked text) language plpgsql as $$
declare
  ticket_column text := case when entity = 'ticket' then 'id' else 'ticket_id' end;
  trigger_function text := 'record_history_of_' || of_table;
  facts text;
  changes text;
  event text;
begin
  select string_agg(format('%1$L: r.%1$I', attname), ', ' order by attnum),
    string_agg(format('%1$L: case when o.%1$I is distinct from n.%1$I then jsonb_build_array(o.%1$I, n.%1$I) end', attname),
      ', ' order by attnum)
  into strict facts, changes
  from pg_attribute
  where attrelid = of_table::regclass and attnum > 0 and not attisdropped and attname <> all (string_to_array(untracked, ' '));
  execute format($function$
    create function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        insert into history (project_id, ticket_id, entity, entity_id, action, to_value, actor, request_id)
        select r.project_id, r.%2$I, %3$L, r.%4$I::text, 'created', json_object(%5$s absent on null returning jsonb),
          w.who - 'request_id', w.who ->> 'request_id'
        from inserted r cross join lateral (select acting_on((select acting()), r.%2$I::text) as who offset 0) w;
      elsif tg_op = 'DELETE' then
        insert into history (project_id, ticket_id, entity, entity_id, action, from_value, actor, request_id)
        select r.project_id, r.%2$I, %3$L, r.%4$I::text, 'deleted', json_object(%5$s absent on null returning jsonb),
          (select acting() - 'request_id'), (select acting() ->> 'request_id')
        from deleted r;
      else
        insert into history (project_id, ticket_id, entity, entity_id, action, changes, actor, request_id)
        select n.project_id, n.%2$I, %3$L, n.%4$I::text, 'changed', c.changes,
          (select acting() - 'request_id'), (select acting() ->> 'request_id')
        from inserted n join deleted o on o.%2$I = n.%2$I and o.%4$I = n.%4$I
        cross join lateral (select json_object(%6$s absent on null returning jsonb) as changes offset 0) c
        where c.changes <> '{}';
      end if;
      return null;
    end $body$ $function$, trigger_function, ticket_column, entity, id_column, facts, changes);
  foreach event in array array['insert', 'update', 'delete'] loop
    execute format('create or replace trigger %I after %s on %I referencing %s for each statement execute function %I()',
      of_table || '_history_' || event, event, of_table, case event when 'insert' then 'new table as inserted'
        when 'delete' then 'old table as deleted' else 'old table as deleted new table as inserted' end, trigger_function);
  end loop;
end $$;

call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened version created_at updated_at');
call track_history('ticket_roles', 'role', 'role', 'ticket_id project_id');
-- A lease is extended every few minutes and says nothing of the task.
call track_history('tasks', 'task', 'id', 'id ticket_id project_id lease_expires_at version created_at updated_at');
call track_history('test_cases', 'test_case', 'id', 'id ticket_id project_id created_at updated_at');
call track_history('ticket_pull_requests', 'pull_request', 'id', 'id ticket_id project_id created_at updated_at');
call track_history('ticket_issues', 'linked_issue', 'ticket_id', 'ticket_id project_id event_at created_at updated_at');
call track_history('ticket_duplicates', 'duplicate', 'duplicate_of', 'ticket_id project_id created_at');
call track_history('agent_runs', 'agent_run', 'id',
  'id ticket_id project_id event_tie settled_tasks moved_ticket created_at updated_at');

drop procedure track_changes;
drop function record_changes_of_tickets, record_changes_of_ticket_roles, record_changes_of_tasks, record_changes_of_test_cases,
  record_history;

-- A closed ticket whose deploy is known is done with its sha: the index lets go of it.
drop index tickets_merge_sha_idx;
create index tickets_merge_sha_idx on tickets (merge_sha) where merge_sha is not null and (status = 'open' or deployed_at is null);
