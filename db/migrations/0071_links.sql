-- Links between tickets that count: blockers and related tickets. The mark of a duplicate has its own table. A link is
-- stored once. Of two related tickets, the one with the lower id comes first. `ref` names the other ticket if it is of
-- the same project, because readers of the history may not see another one.
create table ticket_links (
  id uuid primary key,
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  kind text not null check (kind in ('blocked_by', 'relates')),
  other_id uuid not null references tickets (id),
  other_project_id uuid not null,
  ref text,
  created_at timestamptz(3) not null default now(),
  constraint ticket_links_other check (ticket_id <> other_id),
  constraint ticket_links_order check (kind <> 'relates' or ticket_id < other_id),
  constraint ticket_links_key unique (ticket_id, kind, other_id)
);
create index ticket_links_other_idx on ticket_links (other_id, kind);
call track_history('ticket_links', 'link', 'id', 'ticket_id project_id other_id other_project_id created_at');

-- A duplicate may be of a ticket of another project.
alter table ticket_duplicates add id uuid not null default gen_random_uuid();
create unique index ticket_duplicates_id on ticket_duplicates (id);
call track_history('ticket_duplicates', 'duplicate', 'duplicate_of', 'id ticket_id project_id created_at');

-- Triggers keep these counts for lists and claims: open tickets that block this one, and children.
alter table tickets add parent_id uuid references tickets (id), add open_blockers integer not null default 0,
  add children_open integer not null default 0, add children_total integer not null default 0,
  add constraint tickets_parent_other check (parent_id <> id);
create index tickets_parent_idx on tickets (parent_id, number) where parent_id is not null;
create index tickets_blocked_idx on tickets (project_id, created_at, id) where open_blockers > 0;

call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened pending_questions human_questions '
  'tasks_done tasks_total cases_approved cases_total agent_runs open_blockers children_open children_total version created_at updated_at');

-- The other ticket's history tells of the link, too. A blocker that is open counts.
create function follow_link() returns trigger language plpgsql as $$
declare
  l ticket_links := case tg_op when 'DELETE' then old else new end;
  made boolean := tg_op = 'INSERT';
  facts jsonb := jsonb_build_object('kind', case l.kind when 'blocked_by' then 'blocks' else l.kind end)
    || case when l.ref is null then '{}' else jsonb_build_object('ref', (
      select p.key || '-' || t.number from tickets t join projects p on p.id = t.project_id where t.id = l.ticket_id)) end;
begin
  insert into history (project_id, ticket_id, entity, entity_id, action, from_value, to_value, actor, request_id)
  values (l.other_project_id, l.other_id, 'link', l.id::text, case when made then 'created' else 'deleted' end,
    case when not made then facts end, case when made then facts end, acting() - 'request_id', acting() ->> 'request_id');
  if l.kind = 'blocked_by' then
    update tickets t set open_blockers = t.open_blockers + case when made then 1 else -1 end
    from tickets b where b.id = l.other_id and b.status = 'open' and t.id = l.ticket_id;
  end if;
  return null;
end $$;
create trigger ticket_links_follow after insert or delete on ticket_links for each row execute function follow_link();

-- A ticket that opens or closes counts, or no longer counts, for the tickets that it blocks and for its parent.
create function follow_status() returns trigger language plpgsql as $$
declare
  more integer := case new.status when 'open' then 1 else -1 end;
begin
  update tickets t set open_blockers = t.open_blockers + more
  from ticket_links l where l.other_id = new.id and l.kind = 'blocked_by' and t.id = l.ticket_id;
  if new.parent_id is not null then
    update tickets set children_open = children_open + more where id = new.parent_id;
  end if;
  return null;
end $$;
create trigger tickets_follow_status after update of status on tickets
for each row when (old.status <> new.status) execute function follow_status();

create function count_children() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.parent_id is not null then
    update tickets set children_total = children_total - 1, children_open = children_open - (new.status = 'open')::integer
    where id = old.parent_id;
  end if;
  if new.parent_id is not null then
    update tickets set children_total = children_total + 1, children_open = children_open + (new.status = 'open')::integer
    where id = new.parent_id;
  end if;
  return null;
end $$;
create trigger tickets_count_child after insert on tickets
for each row when (new.parent_id is not null) execute function count_children();
create trigger tickets_count_moved_child after update of parent_id on tickets
for each row when (old.parent_id is distinct from new.parent_id) execute function count_children();

-- An open ticket that loses its last blocker is released. This is one event, however many blockers end at once.
create function tell_of_release() returns trigger language plpgsql as $$
begin
  insert into history (project_id, ticket_id, entity, entity_id, action, actor, request_id)
  values (new.project_id, new.id, 'ticket', new.id::text, 'unblocked', acting() - 'request_id', acting() ->> 'request_id');
  return null;
end $$;
create trigger tickets_tell_of_release after update of open_blockers on tickets
for each row when (old.open_blockers > 0 and new.open_blockers = 0 and new.status = 'open') execute function tell_of_release();

alter table watchers drop constraint watchers_reason_check,
  add constraint watchers_reason_check check (reason in ('manual', 'mention', 'comment', 'duplicate'));
