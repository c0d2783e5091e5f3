-- How far a ticket is: its tasks that are done or skipped of all, its approved test cases of all. The ticket's row holds
-- the counts, so that a page of a list reads neither tasks nor cases.
alter table tickets
  add tasks_done integer not null default 0, add tasks_total integer not null default 0,
  add cases_approved integer not null default 0, add cases_total integer not null default 0;
call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened pending_questions human_questions '
  'tasks_done tasks_total cases_approved cases_total version created_at updated_at');

create function count_new_tasks() returns trigger language plpgsql as $$
begin
  update tickets t set tasks_done = t.tasks_done + n.done, tasks_total = t.tasks_total + n.total
  from (
    select ticket_id, count(*)::integer as total, (count(*) filter (where status in ('done', 'skipped')))::integer as done
    from inserted group by ticket_id
  ) n where t.id = n.ticket_id;
  return null;
end $$;
create trigger tasks_count_insert after insert on tasks referencing new table as inserted
  for each statement execute function count_new_tasks();

create function count_finished_task() returns trigger language plpgsql as $$
begin
  update tickets set tasks_done = tasks_done + case when new.status in ('done', 'skipped') then 1 else -1 end
  where id = new.ticket_id;
  return null;
end $$;
create trigger tasks_count_update after update of status on tasks for each row
  when ((old.status in ('done', 'skipped')) <> (new.status in ('done', 'skipped'))) execute function count_finished_task();

create function count_deleted_task() returns trigger language plpgsql as $$
begin
  update tickets set tasks_total = tasks_total - 1,
    tasks_done = tasks_done - case when old.status in ('done', 'skipped') then 1 else 0 end
  where id = old.ticket_id;
  return null;
end $$;
create trigger tasks_count_delete after delete on tasks for each row execute function count_deleted_task();

create function count_new_cases() returns trigger language plpgsql as $$
begin
  update tickets t set cases_approved = t.cases_approved + n.approved, cases_total = t.cases_total + n.total
  from (
    select ticket_id, count(*)::integer as total, (count(*) filter (where status = 'approved'))::integer as approved
    from inserted group by ticket_id
  ) n where t.id = n.ticket_id;
  return null;
end $$;
create trigger test_cases_count_insert after insert on test_cases referencing new table as inserted
  for each statement execute function count_new_cases();

create function count_decided_case() returns trigger language plpgsql as $$
begin
  update tickets set cases_approved = cases_approved + case when new.status = 'approved' then 1 else -1 end
  where id = new.ticket_id;
  return null;
end $$;
create trigger test_cases_count_update after update of status on test_cases for each row
  when ((old.status = 'approved') <> (new.status = 'approved')) execute function count_decided_case();

create function count_deleted_case() returns trigger language plpgsql as $$
begin
  update tickets set cases_total = cases_total - 1,
    cases_approved = cases_approved - case when old.status = 'approved' then 1 else 0 end
  where id = old.ticket_id;
  return null;
end $$;
create trigger test_cases_count_delete after delete on test_cases for each row execute function count_deleted_case();

-- The counts of what is there already. Nothing of it is a change of a ticket.
alter table tickets disable trigger user;
update tickets t set tasks_done = n.done, tasks_total = n.total from (
  select ticket_id, count(*)::integer as total, (count(*) filter (where status in ('done', 'skipped')))::integer as done
  from tasks group by ticket_id
) n where t.id = n.ticket_id;
update tickets t set cases_approved = n.approved, cases_total = n.total from (
  select ticket_id, count(*)::integer as total, (count(*) filter (where status = 'approved'))::integer as approved
  from test_cases group by ticket_id
) n where t.id = n.ticket_id;
alter table tickets enable trigger user;
