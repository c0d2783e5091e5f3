-- Tickets, and what belongs to each of them beside its work.

create table tickets (
  id uuid primary key,
  project_id uuid not null references projects (id),
  number integer not null,
  title text not null,
  description text not null,
  request_type text not null check (request_type in ('bug', 'clarification_needed', 'decision_needed', 'feature_request')),
  priority text not null check (priority in ('low', 'medium', 'high')),
  priority_rank smallint not null generated always as (case priority when 'high' then 3 when 'medium' then 2 else 1 end) stored,
  blocking boolean not null,
  evidence jsonb,
  suggested_resolution text,
  implementation_notes text,
  actor_role text not null,
  actor_id text not null,
  source text not null,
  stage text not null default 'backlog' check (stage in ('backlog', 'up_next', 'in_progress', 'validation', 'live')),
  status text not null default 'open' check (status in ('open', 'closed')),
  resolution_type text check (resolution_type in ('completed', 'already_done', 'duplicate', 'wont_fix', 'no_longer_relevant', 'cancelled')),
  resolution_note text,
  closed_at timestamptz(3),
  merge_sha text,
  deployed_at timestamptz(3),
  deploy_failed_at timestamptz(3),
  -- The ship state as far as the ticket itself tells it. `merged` is shown as waiting where a repository reports deploys.
  ship_state text not null generated always as (case
    when deploy_failed_at is not null and (deployed_at is null or deploy_failed_at > deployed_at) then 'deploy_failed'
    when deployed_at is not null then 'deployed' when merge_sha is not null then 'merged' else 'none' end) stored,
  created_by uuid references users (id),
  created_with text not null check (created_with in ('session', 'key')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- A reopened ticket wants more than its merge, so it no longer closes by itself until the next merge.
  reopened boolean not null default false,
  constraint tickets_number_key unique (project_id, number),
  constraint tickets_live_is_closed check ((stage = 'live') = (status = 'closed')),
  constraint tickets_closed_at check ((status = 'closed') = (closed_at is not null))
);
create index tickets_created_idx on tickets (project_id, created_at, id);
create index tickets_updated_idx on tickets (project_id, updated_at, id);
create index tickets_priority_idx on tickets (project_id, priority_rank, id);
create index tickets_stage_idx on tickets (project_id, stage, created_at, id);
-- A project with many closed tickets and fewer open ones than a page holds would read all of them for a list of the open
-- ones (200,000 in 130 ms). A ticket that closes leaves no entry behind.
create index tickets_open_created_idx on tickets (project_id, created_at, id) where status = 'open';
create index tickets_open_updated_idx on tickets (project_id, updated_at, id) where status = 'open';
create index tickets_open_priority_idx on tickets (project_id, priority_rank, id) where status = 'open';
-- Merged tickets without a deploy. A ticket costs nothing here until its merge.
create index tickets_ship_idx on tickets (project_id, ship_state, created_at, id) where ship_state in ('merged', 'deploy_failed');
-- A closed ticket whose deploy is known is done with its sha.
create index tickets_merge_sha_idx on tickets (merge_sha) where merge_sha is not null and (status = 'open' or deployed_at is null);
create index tickets_merged_idx on tickets (id) where status = 'open' and merge_sha is not null; -- for the sweep

call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened version created_at updated_at');

create table ticket_roles (
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  role text not null check (role in ('frontend', 'backend', 'design', 'devops', 'qa', 'other')),
  status text not null default 'pending' check (status in ('pending', 'in_progress', 'done', 'skipped')),
  primary key (ticket_id, role)
);
create index ticket_roles_role_idx on ticket_roles (project_id, role, ticket_id);

call track_history('ticket_roles', 'role', 'role', 'ticket_id project_id');

-- The open or closed ticket that a closed duplicate stands for.
create table ticket_duplicates (
  ticket_id uuid primary key references tickets (id),
  project_id uuid not null,
  duplicate_of uuid not null references tickets (id),
  created_at timestamptz(3) not null default now(),
  constraint ticket_duplicates_other check (ticket_id <> duplicate_of)
);
create index ticket_duplicates_of_idx on ticket_duplicates (duplicate_of);

call track_history('ticket_duplicates', 'duplicate', 'duplicate_of', 'ticket_id project_id created_at');

-- The answer of a creation, stored in the ticket's own transaction and kept as long as the ticket.
create table ticket_creations (
  project_id uuid not null,
  idempotency_key text not null,
  ticket_id uuid not null,
  response jsonb not null,
  primary key (project_id, idempotency_key)
);
create index ticket_creations_ticket_idx on ticket_creations (ticket_id); -- for an export's page

-- The answers of creations with an idempotency key inside a ticket, kept with the ticket.
create table part_creations (
  ticket_id uuid not null references tickets (id),
  part text not null check (part in ('task', 'test_case')),
  idempotency_key text not null,
  response jsonb not null,
  primary key (ticket_id, part, idempotency_key)
);
