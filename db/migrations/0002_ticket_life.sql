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
create index tasks_assignee_idx on tasks (assignee_user_id) where assignee_user_id is not null;

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
  constraint test_cases_decided check ((status = 'pending') = (decided_at is null))
);
create index test_cases_ticket_idx on test_cases (ticket_id, id);

-- A lease is extended every few minutes and says nothing of the task: it is no fact of history.
create trigger tasks_history_insert after insert on tasks referencing new table as inserted
  for each statement execute function record_history('task', 'id', 'id ticket_id project_id lease_expires_at version created_at updated_at');
create trigger tasks_history_delete after delete on tasks referencing old table as deleted
  for each statement execute function record_history('task', 'id', 'id ticket_id project_id lease_expires_at version created_at updated_at');

create trigger test_cases_history_insert after insert on test_cases referencing new table as inserted
  for each statement execute function record_history('test_case', 'id', 'id ticket_id project_id created_at updated_at');
create trigger test_cases_history_delete after delete on test_cases referencing old table as deleted
  for each statement execute function record_history('test_case', 'id', 'id ticket_id project_id created_at updated_at');

-- The update trigger of a table that is often updated, or by the hundred: what record_history does by looking through
-- every row as JSON (10 ms for 100 tickets), with the table's columns spelled out (1.4 ms). Call it again when columns come.
create procedure track_changes(of_table text, entity text, id_column text, untracked text) language plpgsql as $$
declare
  ticket_column text := case when entity = 'ticket' then 'id' else 'ticket_id' end;
  changes text;
begin
  select string_agg(format('select %1$L, to_jsonb(o.%2$I), to_jsonb(n.%2$I) where o.%2$I is distinct from n.%2$I',
    attname, attname), ' union all ' order by attnum) into strict changes
  from pg_attribute
  where attrelid = of_table::regclass and attnum > 0 and not attisdropped and attname <> all (string_to_array(untracked, ' '));
  execute format($function$
    create or replace function %1$I() returns trigger language plpgsql as $body$
    declare
      author jsonb;
    begin
      if not exists (select from inserted) then return null; end if;
      author := acting();
      insert into history (project_id, ticket_id, entity, entity_id, action, field, from_value, to_value, actor, request_id)
      select n.project_id, n.%2$I, %3$L, n.%4$I::text, 'changed', f.field, f.was, f.becomes,
        acting_on(author, n.%2$I::text) - 'request_id', acting_on(author, n.%2$I::text) ->> 'request_id'
      from inserted n join deleted o on o.%2$I = n.%2$I and o.%4$I = n.%4$I
      cross join lateral (%5$s) f (field, was, becomes);
      return null;
    end $body$ $function$, 'record_changes_of_' || of_table, ticket_column, entity, id_column, changes);
  execute format('create or replace trigger %I after update on %I referencing old table as deleted new table as inserted
    for each statement execute function %I()', of_table || '_history_update', of_table, 'record_changes_of_' || of_table);
end $$;

call track_changes('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state version created_at updated_at');
call track_changes('ticket_roles', 'role', 'role', 'ticket_id project_id');
call track_changes('tasks', 'task', 'id', 'id ticket_id project_id lease_expires_at version created_at updated_at');
call track_changes('test_cases', 'test_case', 'id', 'id ticket_id project_id created_at updated_at');

-- What lists filter by and the order alone would search long for: tickets of a rare role; merged ones without a deploy,
-- which until its merge cost a ticket nothing. Admins look for rare actions, such as a bypassed gate, among sign-ins.
create index ticket_roles_role_idx on ticket_roles (project_id, role, ticket_id);
create index tickets_ship_idx on tickets (project_id, ship_state, created_at, id) where ship_state in ('merged', 'deploy_failed');
create index audit_log_action_idx on audit_log (account_id, action, id);
