-- Suggestions ---------------------------------------------------------------------------------------------

-- Results of the analyzer. The fingerprint identifies the facts that a suggestion rests on, so that the same facts are never
-- suggested twice, whatever the decision was. before_accept holds the state that an undo brings back.
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

-- How far the analyzer has read the tickets' history. One row.
create table analysis_cursor (
  only_row boolean primary key default true check (only_row),
  history_id bigint not null
);
insert into analysis_cursor (history_id) values (0);

-- Tickets whose facts changed since the analyzer last looked. A job fills it from the history, so a write pays nothing.
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

-- One answer of a person, who is known by an email: a signed-in user's own, or the one that was given. A signed-in person
-- answers a survey once, also after the email has changed.
create table survey_responses (
  id uuid primary key,
  survey_id uuid not null references scope_surveys (id),
  email text not null check (email = lower(email)),
  user_id uuid references users (id),
  answers jsonb not null,
  created_at timestamptz(3) not null default now(),
  constraint survey_responses_person_key unique (survey_id, email)
);
create unique index survey_responses_user_key on survey_responses (survey_id, user_id) where user_id is not null;

-- Billing -------------------------------------------------------------------------------------------------

-- Objects of the payment provider. The event that is last by the sender's order counts, in whatever order events arrive.

-- An account may have several customers there: two of its admins paid, or the first customer was deleted.
create table billing_customers (
  account_id uuid not null references accounts (id),
  customer_id text not null,
  event_created bigint not null,
  event_id text not null collate "C",
  updated_at timestamptz(3) not null default now(),
  primary key (account_id, customer_id)
);

create table billing_subscriptions (
  subscription_id text primary key,
  customer_id text not null,
  status text not null,
  price_id text,
  cancel_at_period_end boolean not null,
  current_period_end timestamptz(3),
  started_at timestamptz(3) not null,
  -- The order of events: an end is final; then the sender's clock, the kind, and the name decide.
  ended boolean not null,
  event_created bigint not null,
  event_rank smallint not null,
  event_id text not null collate "C",
  updated_at timestamptz(3) not null default now(),
  cancel_at timestamptz(3) -- a coming end may be told by its time alone
);
create index billing_subscriptions_customer_idx on billing_subscriptions (customer_id);

-- The provider's page that an account was sent to last. Without it two pages that are open at once could both be paid.
create table billing_checkouts (
  account_id uuid primary key references accounts (id),
  session_id text not null,
  asked text not null,
  updated_at timestamptz(3) not null default now()
);
