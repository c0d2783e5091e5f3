-- Accounts, people, and their ways in: passwords, sessions, invitations; what admins read later; rate limits.
--
-- Times have milliseconds, as on the wire, because a cursor that is made of a time must equal the stored time.

-- The first statement needs more rights than all others, so a role that lacks them leaves nothing half made.
create extension if not exists vector;

create table accounts (
  id uuid primary key,
  name text not null,
  slug text not null constraint accounts_slug_key unique,
  disabled_roles text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create table users (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  email text not null,
  name text not null,
  kind text not null default 'human' check (kind in ('human', 'bot')),
  role text not null default 'member' check (role in ('member', 'admin', 'super_admin')),
  password_hash text,
  deactivated_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index users_email_key on users (lower(email));
create index users_account_idx on users (account_id, id);

-- A one-time link by which an invited person sets a password. At most one link of a user is unused, so a second one that
-- is made at the same moment can't leave two that work.
create table invitations (
  token_hash bytea primary key,
  user_id uuid not null references users (id),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index invitations_user_idx on invitations (user_id);
create unique index invitations_unused_key on invitations (user_id) where used_at is null;

-- One sign-in, with all refresh tokens that descend from it.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id),
  user_agent text,
  address text,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index sessions_user_idx on sessions (user_id, id);
-- For the nightly pruning, which reads 2,000 rows at a time.
create index sessions_ended_idx on sessions (least(revoked_at, expires_at));

create table refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index refresh_tokens_session_idx on refresh_tokens (session_id);
create index refresh_tokens_expires_idx on refresh_tokens (expires_at); -- for the pruning

-- Sign-ins, changes of keys and roles, skipped gates. Rows about surveys have no account, because an account's admins may
-- not read the codes that these rows name.
create table audit_log (
  id bigint generated always as identity primary key,
  account_id uuid references accounts (id),
  action text not null,
  actor jsonb not null,
  target_type text,
  target_id text,
  details jsonb not null default '{}',
  request_id text,
  created_at timestamptz(3) not null default now()
);
create index audit_log_account_idx on audit_log (account_id, id);
-- Rare actions among many sign-ins: of one account, and of all accounts for super admins.
create index audit_log_action_idx on audit_log (account_id, action, id);
create index audit_log_actions_idx on audit_log (action, id);
create index audit_log_refused_idx on audit_log (created_at) where action = 'session.refused'; -- for the pruning

-- The store of rate-limiter-flexible, in the form that the package asks for.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
