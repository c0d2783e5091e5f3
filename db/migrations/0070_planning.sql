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
