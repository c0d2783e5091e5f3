-- A user's account at the code host. The token is a ciphertext of core/encryption, which names its key.
create table code_hosting_accounts (
  user_id uuid primary key references users (id),
  login text not null,
  provider_user_id bigint not null,
  scopes text[], -- null: a fine-grained token, whose rights the provider does not tell
  token text not null,
  state text not null default 'active' check (state in ('active', 'refused')),
  linked_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

-- Who works on something outside right now. A holder that died is no longer one when its time is over.
create table claims (
  name text primary key,
  holder uuid not null,
  expires_at timestamptz(3) not null
);

-- The hook of a repository as this service last wrote it. repo is lower-cased.
create table repository_hooks (
  repo text primary key check (repo = lower(repo)),
  hook_id bigint not null,
  url text not null,
  secret_fingerprint text not null,
  -- The provider's own time of the last change: another one means that somebody else changed the hook.
  provider_updated_at timestamptz(3) not null,
  updated_at timestamptz(3) not null default now()
);

-- A set-up of hooks that is too long for one answer, and what became of each repository.
create table hook_runs (
  id uuid primary key,
  user_id uuid not null references users (id),
  state text not null default 'queued' check (state in ('queued', 'running', 'waiting', 'done', 'failed')),
  code text,
  error text,
  -- How often the provider's rate limit stopped it, and until when it waits.
  waits integer not null default 0,
  resumes_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index hook_runs_user_idx on hook_runs (user_id, created_at);

create table hook_run_results (
  run_id uuid not null references hook_runs (id) on delete cascade,
  position integer not null,
  project_id uuid not null references projects (id),
  repo text not null,
  status text not null default 'pending' check (status in ('pending', 'created', 'updated', 'unchanged', 'failed')),
  hook_id bigint,
  code text,
  error text,
  primary key (run_id, position)
);

-- The issue that a ticket is linked to. event_at is the provider's clock of the last event that counted.
create table ticket_issues (
  ticket_id uuid primary key references tickets (id),
  project_id uuid not null,
  repo_full_name text not null,
  issue_number integer not null check (issue_number > 0),
  issue_url text not null,
  title text,
  state text check (state in ('open', 'closed')),
  event_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index ticket_issues_issue_idx on ticket_issues (lower(repo_full_name), issue_number);

create trigger ticket_issues_history_insert after insert on ticket_issues referencing new table as inserted
  for each statement execute function record_history('linked_issue', 'ticket_id', 'ticket_id project_id event_at created_at updated_at');
create trigger ticket_issues_history_update after update on ticket_issues referencing old table as deleted new table as inserted
  for each statement execute function record_history('linked_issue', 'ticket_id', 'ticket_id project_id event_at created_at updated_at');
create trigger ticket_issues_history_delete after delete on ticket_issues referencing old table as deleted
  for each statement execute function record_history('linked_issue', 'ticket_id', 'ticket_id project_id event_at created_at updated_at');

-- Each pull request that was heard of, so that a ticket which is linked to it later finds its merge. repo is lower-cased.
create table pull_requests (
  repo text not null check (repo = lower(repo)),
  number integer not null,
  state text not null check (state in ('open', 'closed', 'merged')),
  merge_sha text,
  merged_at timestamptz(3),
  event_at timestamptz(3) not null,
  primary key (repo, number),
  constraint pull_requests_merge check ((state = 'merged') = (merge_sha is not null and merged_at is not null))
);

-- Of one pull request, what is heard and who is linked to it are written one after the other, or each could miss the
-- other. Tickets are locked before it.
create function lock_pull_request(in_repo text, in_number integer) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended(in_repo || '#' || in_number, 4))
$$;

-- Tickets of projects that are wired to the repository get the sha of a merge, unless a later merge of theirs is known.
create function stamp_merge(in_tickets uuid[], in_repo text, in_number integer) returns integer language plpgsql as $$
declare
  stamped integer;
begin
  update tickets t set merge_sha = lower(m.merge_sha), version = version + 1, updated_at = now()
  from pull_requests m
  where t.id = any (in_tickets) and m.repo = in_repo and m.number = in_number and m.state = 'merged'
    and t.merge_sha is distinct from lower(m.merge_sha)
    and exists (select from project_repositories r where r.project_id = t.project_id and lower(r.full_name) = m.repo)
    and not exists (
      select from ticket_pull_requests l join pull_requests other on other.repo = l.repo and other.number = l.number
      where l.ticket_id = t.id and (other.merged_at, other.repo, other.number) > (m.merged_at, m.repo, m.number));
  get diagnostics stamped = row_count;
  return stamped;
end $$;

-- Whoever links a ticket to a pull request: it is linked as what the pull request is, and a merge counts from then on.
create function link_known_pull_request() returns trigger language plpgsql as $$
begin
  perform lock_pull_request(new.repo, new.number);
  new.state := coalesce((select state from pull_requests where repo = new.repo and number = new.number), new.state);
  return new;
end $$;
create trigger ticket_pull_requests_known before insert on ticket_pull_requests
  for each row execute function link_known_pull_request();

create function stamp_linked_ticket() returns trigger language plpgsql as $$
begin
  perform stamp_merge(array[new.ticket_id], new.repo, new.number);
  return null;
end $$;
create trigger ticket_pull_requests_stamp after insert on ticket_pull_requests
  for each row execute function stamp_linked_ticket();
