-- Tasks and human test cases of tickets.

create table tasks (
  id uuid primary key,
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  sequence integer not null,
  title text not null,
  body text,
  summary text,
  role text not null check (role in ('frontend', 'backend', 'design', 'devops', 'qa', 'other')),
  status text not null default 'pending' check (status in ('pending', 'in_progress', 'blocked', 'done', 'skipped')),
  assignee_user_id uuid references users (id),
  assignee_session_id text,
  lease_expires_at timestamptz(3),
  depends_on_task_ids uuid[] not null default '{}',
  acceptance_criteria jsonb not null default '[]',
  estimated_minutes integer,
  actual_minutes integer,
  blocking_reason text,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- Checked at commit, so that a reorder may pass through any state.
  constraint tasks_sequence_key unique (ticket_id, sequence) deferrable initially deferred,
  constraint tasks_blocked_has_reason check ((status = 'blocked') = (blocking_reason is not null)),
  constraint tasks_done_is_completed check (status <> 'done' or completed_at is not null),
  constraint tasks_lease_is_at_work check (lease_expires_at is null or status = 'in_progress')
);
create index tasks_lease_idx on tasks (lease_expires_at) where lease_expires_at is not null;
create index tasks_assignee_idx on tasks (assignee_user_id, project_id, id) where assignee_user_id is not null;
-- Lists of a whole project, in the order of ids. Unfinished tasks are a small part of years of work.
create index tasks_project_idx on tasks (project_id, id);
create index tasks_unfinished_idx on tasks (project_id, id) where status in ('pending', 'in_progress', 'blocked');
create index tasks_role_idx on tasks (project_id, role, id);
create index tasks_status_idx on tasks (project_id, status, id);

-- A lease is extended every few minutes and says nothing of the task, so it is no fact of the history.
call track_history('tasks', 'task', 'id', 'id ticket_id project_id lease_expires_at version created_at updated_at');

create table test_cases (
  id uuid primary key,
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  title text not null,
  instruction text not null,
  link text,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
  decided_by uuid references users (id),
  decided_at timestamptz(3),
  note text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  version integer not null default 1, -- an approval can be tied to the text that was read
  constraint test_cases_decided check ((status = 'pending') = (decided_at is null))
);
create index test_cases_ticket_idx on test_cases (ticket_id, id);
create index test_cases_project_idx on test_cases (project_id, id);
create index test_cases_status_idx on test_cases (project_id, status, id);

call track_history('test_cases', 'test_case', 'id', 'id ticket_id project_id created_at updated_at version');
