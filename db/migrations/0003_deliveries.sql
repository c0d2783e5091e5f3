-- What other services sent. One row for one delivery, however often it came: the effect is in, or the reason why not.
create table deliveries (
  id uuid primary key,
  provider text not null check (provider in ('cloud_agent', 'payment', 'deploy', 'github')),
  delivery_id text, -- as the sender names it; null where it names none
  event text not null,
  subject text, -- what the event is about, to find the ones that came before it was known
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
create unique index deliveries_delivery_key on deliveries (provider, delivery_id) where delivery_id is not null;
create unique index deliveries_body_key on deliveries (provider, body_sha256);
create index deliveries_received_idx on deliveries (received_at);
create index deliveries_failed_idx on deliveries (id) where outcome = 'failed';
create index deliveries_subject_idx on deliveries (provider, subject) where subject is not null;

-- A pull request that belongs to a ticket. repo is lower-cased.
create table ticket_pull_requests (
  id uuid primary key,
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  repo text not null check (repo = lower(repo)),
  number integer not null,
  url text not null,
  state text not null default 'open' check (state in ('open', 'closed', 'merged')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index ticket_pull_requests_key on ticket_pull_requests (ticket_id, lower(repo), number);
create index ticket_pull_requests_number_idx on ticket_pull_requests (lower(repo), number);

create trigger ticket_pull_requests_history_insert after insert on ticket_pull_requests referencing new table as inserted
  for each statement execute function record_history('pull_request', 'id', 'id ticket_id project_id created_at updated_at');
create trigger ticket_pull_requests_history_update after update on ticket_pull_requests referencing old table as deleted new table as inserted
  for each statement execute function record_history('pull_request', 'id', 'id ticket_id project_id created_at updated_at');
create trigger ticket_pull_requests_history_delete after delete on ticket_pull_requests referencing old table as deleted
  for each statement execute function record_history('pull_request', 'id', 'id ticket_id project_id created_at updated_at');

-- One cloud agent at work on one ticket. The event that counts is the last by the sender's clock; what it did to tasks
-- and ticket is kept, so that a later one starts from what was there before and the order of arrival makes no difference.
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
  moved_ticket boolean not null default false,
  created_by uuid references users (id),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index agent_runs_ticket_idx on agent_runs (ticket_id, id);

create trigger agent_runs_history_insert after insert on agent_runs referencing new table as inserted
  for each statement execute function record_history('agent_run', 'id', 'id ticket_id project_id event_tie settled_tasks moved_ticket created_at updated_at');
create trigger agent_runs_history_update after update on agent_runs referencing old table as deleted new table as inserted
  for each statement execute function record_history('agent_run', 'id', 'id ticket_id project_id event_tie settled_tasks moved_ticket created_at updated_at');

-- Each sha that a repository reported, so that a merge which is heard of later finds its deploy. repo, sha lower-cased.
create table deploys (
  repo text not null,
  sha text not null,
  status text not null check (status in ('success', 'failed')),
  reported_at timestamptz(3) not null default now(),
  primary key (sha, repo, status)
);

-- What the sweep looks at: open tickets with a merge.
create index tickets_merged_idx on tickets (id) where status = 'open' and merge_sha is not null;

-- A new merge is not deployed yet, or was before it was heard of; whoever writes it. Stamps of the same update stand.
create function follow_merge() returns trigger language plpgsql as $$
declare
  deployed timestamptz;
  failed timestamptz;
begin
  new.merge_sha := lower(new.merge_sha);
  if new.merge_sha is not distinct from old.merge_sha then return new; end if;
  if (new.deployed_at, new.deploy_failed_at) is distinct from (old.deployed_at, old.deploy_failed_at) then return new; end if;
  select min(d.reported_at) filter (where d.status = 'success'), min(d.reported_at) filter (where d.status = 'failed')
  into deployed, failed
  from deploys d join project_repositories r on lower(r.full_name) = d.repo
  where d.sha = new.merge_sha and r.project_id = new.project_id;
  new.deployed_at := deployed;
  new.deploy_failed_at := case when deployed is null or failed < deployed then failed end;
  return new;
end $$;
create trigger tickets_follow_merge before update of merge_sha on tickets
  for each row when (new.merge_sha is distinct from old.merge_sha) execute function follow_merge();

-- What the payment provider says. Of each object the event that is last by the sender's order counts, whatever came last.
create table billing_customers (
  account_id uuid primary key references accounts (id),
  customer_id text not null,
  subscription_id text,
  event_created bigint not null,
  event_id text not null collate "C",
  updated_at timestamptz(3) not null default now()
);

create table billing_subscriptions (
  subscription_id text primary key,
  customer_id text not null,
  status text not null,
  price_id text,
  cancel_at_period_end boolean not null,
  current_period_end timestamptz(3),
  started_at timestamptz(3) not null,
  -- The order of events: an end is final, then the sender's clock, then the kind, then the name.
  ended boolean not null,
  event_created bigint not null,
  event_rank smallint not null,
  event_id text not null collate "C",
  updated_at timestamptz(3) not null default now()
);
create index billing_subscriptions_customer_idx on billing_subscriptions (customer_id);
