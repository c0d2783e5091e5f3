-- Projects, their members and repositories, and the API keys that may be bound to one.

create table projects (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  key text not null check (key ~ '^[A-Z][A-Z0-9]{1,9}$'),
  slug text not null,
  next_number integer not null default 1,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint projects_slug_key unique (account_id, slug),
  constraint projects_key_key unique (account_id, key)
) with (fillfactor = 70); -- next_number changes with every ticket, so pages keep room for updates in place

create table project_members (
  project_id uuid not null references projects (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('viewer', 'member', 'admin')),
  created_at timestamptz(3) not null default now(),
  primary key (project_id, user_id)
);
create index project_members_user_idx on project_members (user_id);

-- full_name is compared without case everywhere, and shown as it was given.
create table project_repositories (
  project_id uuid not null references projects (id),
  full_name text not null,
  created_at timestamptz(3) not null default now()
);
create unique index project_repositories_key on project_repositories (project_id, lower(full_name));
create index project_repositories_name_idx on project_repositories (lower(full_name));

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users (id),
  project_id uuid references projects (id),
  name text not null,
  prefix text not null constraint api_keys_prefix_key unique,
  key_hash bytea not null constraint api_keys_key_hash_key unique,
  scopes text[] not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index api_keys_user_idx on api_keys (user_id, id);
