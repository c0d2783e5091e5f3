-- Suggestions ---------------------------------------------------------------------------------------------

-- What the analyzer found. The fingerprint names the facts that it was found in: the same facts are never suggested
-- twice, whatever was decided. before_accept is what undo brings back.
create table suggestions (
  id uuid primary key,
  project_id uuid not null references projects (id),
  kind text not null check (kind in ('duplicate', 'stale', 'close', 'role', 'split')),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'dismissed', 'executed', 'expired')),
  ticket_id uuid not null references tickets (id),
  other_ticket_id uuid references tickets (id),
  title text not null,
  rationale text not null,
  confidence double precision not null check (confidence between 0 and 1),
  evidence jsonb not null,
  fingerprint text not null,
  before_accept jsonb,
  created_at timestamptz(3) not null default now(),
  decided_at timestamptz(3),
  decided_by uuid references users (id),
  constraint suggestions_fingerprint_key unique (project_id, fingerprint),
  constraint suggestions_decided check ((status = 'pending') = (decided_at is null)),
  constraint suggestions_duplicate_has_other check ((kind = 'duplicate') = (other_ticket_id is not null))
);
create index suggestions_pending_idx on suggestions (project_id, confidence, id) where status = 'pending';
create index suggestions_status_idx on suggestions (project_id, status, id);
create index suggestions_project_idx on suggestions (project_id, id);
create index suggestions_ticket_idx on suggestions (ticket_id);
create index suggestions_other_idx on suggestions (other_ticket_id) where other_ticket_id is not null;

-- Which ticket a closed duplicate stands for.
create table ticket_duplicates (
  ticket_id uuid primary key references tickets (id),
  project_id uuid not null,
  duplicate_of uuid not null references tickets (id),
  created_at timestamptz(3) not null default now(),
  constraint ticket_duplicates_other check (ticket_id <> duplicate_of)
);
create index ticket_duplicates_of_idx on ticket_duplicates (duplicate_of);

create trigger ticket_duplicates_history_insert after insert on ticket_duplicates referencing new table as inserted
  for each statement execute function record_history('duplicate', 'duplicate_of', 'ticket_id project_id created_at');
create trigger ticket_duplicates_history_delete after delete on ticket_duplicates referencing old table as deleted
  for each statement execute function record_history('duplicate', 'duplicate_of', 'ticket_id project_id created_at');

-- How far the tickets' history has been read for changes. One row.
create table analysis_cursor (
  only_row boolean primary key default true check (only_row),
  history_id bigint not null
);
insert into analysis_cursor (history_id) values (0);

-- Tickets whose facts changed since they were last looked at. Filled from their history, so that a write costs nothing more.
create table analysis_backlog (
  project_id uuid not null,
  ticket_id uuid not null,
  history_id bigint not null,
  primary key (project_id, ticket_id)
);

-- The last run over each project, for people who wait for it.
create table project_analyses (
  project_id uuid primary key references projects (id),
  total integer not null,
  done integer not null,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3)
);

-- Surveys -------------------------------------------------------------------------------------------------

create table scope_surveys (
  id uuid primary key,
  code text not null,
  title text not null,
  questions jsonb not null,
  created_by uuid references users (id),
  closed_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create unique index scope_surveys_code_key on scope_surveys (lower(code));

-- One answer per person, who is known by an email: a signed-in user's own, or the one that was given.
create table survey_responses (
  id uuid primary key,
  survey_id uuid not null references scope_surveys (id),
  email text not null check (email = lower(email)),
  user_id uuid references users (id),
  answers jsonb not null,
  created_at timestamptz(3) not null default now(),
  constraint survey_responses_person_key unique (survey_id, email)
);

-- Export --------------------------------------------------------------------------------------------------

-- A row as JSON with its times as on the wire: PostgreSQL writes +00:00 into JSON, and milliseconds only where there are any.
create function wire_times(whole_row jsonb) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(key, case when key like '%\_at' and jsonb_typeof(value) = 'string'
    then to_jsonb(to_char((value #>> '{}')::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) else value end), '{}')
  from jsonb_each(whole_row)
$$;
