-- The fields with which a team plans: assignee, labels, days, estimate and milestone.

alter table projects add time_zone text not null default 'UTC'; -- in which a day ends

-- A deleted label stays, because the history of tickets names it.
create table labels (
  id uuid primary key,
  project_id uuid not null references projects (id),
  name text not null,
  name_key text not null, -- the form of the name that is compared
  color text not null check (color ~ '^#[0-9a-f]{6}$'),
  description text not null default '',
  merged_into uuid references labels (id),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index labels_name_key on labels (project_id, name_key) where deleted_at is null;

create table milestones (
  id uuid primary key,
  project_id uuid not null references projects (id),
  name text not null,
  name_key text not null,
  description text not null default '',
  due_on date,
  state text not null default 'open' check (state in ('open', 'closed')),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index milestones_name_key on milestones (project_id, name_key) where deleted_at is null;

-- A ticket without these fields costs nothing in their indexes. Without labels, `labels` is null, so that a creation's
-- history doesn't name it.
alter table tickets add assignee_user_id uuid references users (id), add labels uuid[] check (labels <> '{}'),
  add start_on date, add due_on date, add estimate numeric(7, 2) check (estimate between 0 and 10000),
  add milestone_id uuid references milestones (id),
  add constraint tickets_days check (start_on <= due_on);
create index tickets_assignee_idx on tickets (assignee_user_id, project_id, created_at, id) where assignee_user_id is not null;
create index tickets_labels_idx on tickets using gin (labels) where labels is not null;
create index tickets_due_idx on tickets (project_id, due_on, id) where due_on is not null;
create index tickets_milestone_idx on tickets (milestone_id, created_at, id) where milestone_id is not null;

call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened pending_questions human_questions '
  'tasks_done tasks_total cases_approved cases_total agent_runs version created_at updated_at');

-- Who loses the right to write is no longer the assignee of open tickets and pending tasks. Tickets are locked before
-- tasks, as everywhere.
create function free_work_of(user_id uuid) returns void language sql as $$
  with stale as (
    select t.id from tickets t
    where t.assignee_user_id = free_work_of.user_id and t.status = 'open' and not may_write(free_work_of.user_id, t.project_id)
    order by t.id for update
  )
  update tickets t set assignee_user_id = null, version = t.version + 1, updated_at = clock_timestamp()
  from stale where t.id = stale.id;
  select free_tasks_of(free_work_of.user_id)
$$;

create or replace function follow_lost_rights() returns trigger language plpgsql as $$
begin
  perform free_work_of((to_jsonb(old) ->> tg_argv[0])::uuid);
  return null;
end $$;

create function drop_lost_ticket_assignee() returns trigger language plpgsql as $$
begin
  -- The lock keeps the right in place until this change can be seen, and undone.
  perform from users where id = new.assignee_user_id for share;
  if not may_write(new.assignee_user_id, new.project_id) then new.assignee_user_id := null; end if;
  return new;
end $$;
create trigger tickets_lost_assignee_insert before insert on tickets
for each row when (new.status = 'open' and new.assignee_user_id is not null) execute function drop_lost_ticket_assignee();
create trigger tickets_lost_assignee_update before update of status, assignee_user_id on tickets
for each row when (new.status = 'open' and new.assignee_user_id is not null
  and (old.status <> new.status or old.assignee_user_id is distinct from new.assignee_user_id))
execute function drop_lost_ticket_assignee();
