-- The code host: linked accounts, webhooks that this service keeps there, issues, pull requests, merges and deploys. The
-- columns named repo hold a lower-cased owner/name.

-- A user's account at the code host. The token is a ciphertext of core/encryption.ts, which names its key.
create table code_hosting_accounts (
  user_id uuid primary key references users (id),
  login text not null,
  provider_user_id bigint not null,
  scopes text[], -- null for a fine-grained token, whose rights the provider does not tell
  token text not null,
  state text not null default 'active' check (state in ('active', 'refused')),
  linked_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

-- The sole right to work on something outside for a while. It ends with its time, also when its holder died.
create table claims (
  name text primary key,
  holder uuid not null,
  expires_at timestamptz(3) not null
);

-- The hook of a repository as this service last wrote it.
create table repository_hooks (
  repo text primary key check (repo = lower(repo)),
  hook_id bigint not null,
  url text not null,
  secret_fingerprint text not null,
  -- The provider's own time of the last change. A different time means that somebody else changed the hook.
  provider_updated_at timestamptz(3) not null,
  updated_at timestamptz(3) not null default now()
);

-- A set-up of hooks that is too long for one answer, and the result for each repository.
create table hook_runs (
  id uuid primary key,
  user_id uuid not null references users (id),
  state text not null default 'queued' check (state in ('queued', 'running', 'waiting', 'done', 'failed')),
  code text,
  error text,
  -- How often the provider's rate limit stopped it, and when it goes on.
  waits integer not null default 0,
  resumes_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);

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

-- The issue that a ticket is linked to. event_at is the provider's time of the last event that counted.
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

call track_history('ticket_issues', 'linked_issue', 'ticket_id', 'ticket_id project_id event_at created_at updated_at');

-- The account at the code host that was last asked to make a ticket's issue. An issue whose record was lost is found by it.
create table issue_makers (
  ticket_id uuid primary key references tickets (id),
  login text not null
);

-- A pull request that belongs to a ticket.
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

call track_history('ticket_pull_requests', 'pull_request', 'id', 'id ticket_id project_id created_at updated_at');

-- Every pull request that an event named, so that a ticket which is linked to it later finds its merge.
create table pull_requests (
  repo text not null check (repo = lower(repo)),
  number integer not null,
  state text not null check (state in ('open', 'closed', 'merged')),
  merge_sha text,
  merged_at timestamptz(3),
  event_at timestamptz(3) not null,
  -- The provider's own id, where it was told. A repository's name can be given to another repository, which numbers its
  -- pull requests from 1 again.
  provider_id bigint,
  primary key (repo, number),
  constraint pull_requests_merge check ((state = 'merged') = (merge_sha is not null and merged_at is not null))
);
-- A pull request keeps the provider's id when its repository gets another name.
create index pull_requests_provider_idx on pull_requests (provider_id) where provider_id is not null;

-- Every repository that has ever reported a deploy.
create table deploy_reports (
  repo text primary key,
  first_reported_at timestamptz(3) not null default now(),
  last_reported_at timestamptz(3) not null default now()
);

-- Each sha that a repository reported, so that a merge which is told later finds its deploy. sha is lower-cased.
create table deploys (
  repo text not null,
  sha text not null,
  status text not null check (status in ('success', 'failed')),
  reported_at timestamptz(3) not null default now(),
  primary key (sha, repo, status)
);

-- Merges --------------------------------------------------------------------------------------------------

-- Serialises two writers of one pull request: the event that tells of it, and the link of a ticket to it. Without the lock
-- each could miss the other. Tickets are locked before it.
create function lock_pull_request(in_repo text, in_number integer) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended(in_repo || '#' || in_number, 4))
$$;

-- Compares times of two clocks, the provider's and this service's, which may differ by some minutes.
create function precedes(earlier timestamptz, later timestamptz) returns boolean language sql stable as $$
  select earlier <= later + interval '5 minutes'
$$;

-- Gives the sha of a merge to tickets of projects that are wired to the repository. A ticket keeps its sha where a later
-- merge counts, or where the merge is told late and someone has said in between what the ticket's merge is.
create function stamp_merge(in_tickets uuid[], in_repo text, in_number integer) returns integer language plpgsql as $$
declare
  stamped integer;
begin
  update tickets t set merge_sha = lower(m.merge_sha), version = version + 1, updated_at = clock_timestamp()
  from pull_requests m
  where t.id = any (in_tickets) and m.repo = in_repo and m.number = in_number and m.state = 'merged'
    and t.merge_sha is distinct from lower(m.merge_sha)
    and exists (select from project_repositories r where r.project_id = t.project_id and lower(r.full_name) = m.repo)
    and not exists (
      select from ticket_pull_requests l join pull_requests other on other.repo = l.repo and other.number = l.number
      join project_repositories r on r.project_id = l.project_id and lower(r.full_name) = other.repo
      where l.ticket_id = t.id and (other.merged_at, other.repo, other.number) > (m.merged_at, m.repo, m.number))
    and (precedes(m.event_at, m.merged_at) or not exists (
      select from history h where h.ticket_id = t.id and h.changes ? 'merge_sha' and h.actor ->> 'kind' in ('user', 'key')
        and h.created_at > m.merged_at));
  get diagnostics stamped = row_count;
  return stamped;
end $$;

-- A ticket is linked to a pull request in the state that is known of it, and a known merge counts from then on.
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

-- A new merge is not deployed yet, or was deployed before it was told. It ends a reopening. Stamps of the same update stand.
create function follow_merge() returns trigger language plpgsql as $$
declare
  deployed timestamptz;
  failed timestamptz;
begin
  new.merge_sha := lower(new.merge_sha);
  if new.merge_sha is not distinct from old.merge_sha then return new; end if;
  new.reopened := false;
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
