-- Deliveries of webhooks, and the runs of cloud agents that most of them are about.

-- One row for one delivery, however often it came: the effect is in, or the reason why it isn't.
create table inbound_deliveries (
  id uuid primary key,
  provider text not null check (provider in ('cloud_agent', 'payment', 'deploy', 'github')),
  delivery_id text, -- the sender's own name for it, if there is one
  event text not null,
  subject text, -- the thing that the event is about, by which deliveries are found that came before the thing was known
  body bytea not null,
  body_sha256 bytea not null,
  outcome text not null check (outcome in ('applied', 'ignored', 'failed')),
  reason text,
  error text,
  attempts integer not null default 1,
  request_id text not null,
  received_at timestamptz(3) not null default now(),
  decided_at timestamptz(3) not null default now()
);
create unique index inbound_deliveries_delivery_key on inbound_deliveries (provider, delivery_id) where delivery_id is not null;
create unique index inbound_deliveries_body_key on inbound_deliveries (provider, body_sha256);
create index inbound_deliveries_received_idx on inbound_deliveries (received_at);
create index inbound_deliveries_failed_idx on inbound_deliveries (id) where outcome = 'failed';
-- Callers ask for a subject with and without its sender.
create index inbound_deliveries_subject_idx on inbound_deliveries (subject, provider) where subject is not null;

-- One cloud agent at work on one ticket. The last event by the sender's clock counts. The effect on tasks and ticket is
-- kept, so that a later event starts from the state before and the order of arrival makes no difference.
create table agent_runs (
  id uuid primary key,
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  agent_id text not null constraint agent_runs_agent_key unique,
  task_ids uuid[] not null default '{}',
  status text not null default 'running' check (status in ('running', 'finished', 'failed')),
  summary text,
  branch_name text,
  pull_request_url text,
  event_at timestamptz(3),
  event_tie text collate "C", -- decides between events of one millisecond
  settled_tasks jsonb not null default '[]',
  created_by uuid references users (id),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- The move in the ticket's history by which the run finished. A later failure takes it back while it is the last one.
  move_id bigint
);
create index agent_runs_ticket_idx on agent_runs (ticket_id, id);

call track_history('agent_runs', 'agent_run', 'id',
  'id ticket_id project_id event_tie settled_tasks move_id created_at updated_at');
