-- Times have milliseconds, as on the wire: a cursor made of one must equal what is stored.
create extension if not exists vector;

-- People and access ---------------------------------------------------------------------------------------

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

-- A one-time link by which an invited person sets a first password.
create table invitations (
  token_hash bytea primary key,
  user_id uuid not null references users (id),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index invitations_user_idx on invitations (user_id);

-- One sign-in and all refresh tokens that descend from it.
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
create index sessions_expires_idx on sessions (expires_at);

create table refresh_tokens (
  token_hash bytea primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index refresh_tokens_session_idx on refresh_tokens (session_id);

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
) with (fillfactor = 70); -- next_number changes with every ticket: leave room for updates in place

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

-- Every repository that has ever reported a deploy; repo is lower-cased.
create table deploy_reports (
  repo text primary key,
  first_reported_at timestamptz(3) not null default now(),
  last_reported_at timestamptz(3) not null default now()
);

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

-- What admins read later: sign-ins, key and role changes, gate bypasses.
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

-- The store of rate-limiter-flexible, in the form that it asks for.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- Tickets -------------------------------------------------------------------------------------------------

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
  -- What the ticket itself tells of its ship; merged is shown as waiting where deploys are reported.
  ship_state text not null generated always as (case
    when deploy_failed_at is not null and (deployed_at is null or deploy_failed_at > deployed_at) then 'deploy_failed'
    when deployed_at is not null then 'deployed' when merge_sha is not null then 'merged' else 'none' end) stored,
  created_by uuid references users (id),
  created_with text not null check (created_with in ('session', 'key')),
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint tickets_number_key unique (project_id, number),
  constraint tickets_live_is_closed check ((stage = 'live') = (status = 'closed')),
  constraint tickets_closed_at check ((status = 'closed') = (closed_at is not null))
);
create index tickets_created_idx on tickets (project_id, created_at, id);
create index tickets_updated_idx on tickets (project_id, updated_at, id);
create index tickets_priority_idx on tickets (project_id, priority_rank, id);
create index tickets_stage_idx on tickets (project_id, stage, created_at, id);
create index tickets_merge_sha_idx on tickets (merge_sha) where merge_sha is not null;

create table ticket_roles (
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  role text not null check (role in ('frontend', 'backend', 'design', 'devops', 'qa', 'other')),
  status text not null default 'pending' check (status in ('pending', 'in_progress', 'done', 'skipped')),
  primary key (ticket_id, role)
);

-- The answer of a creation, stored in the ticket's own transaction; kept as long as the ticket.
create table ticket_creations (
  project_id uuid not null,
  idempotency_key text not null,
  ticket_id uuid not null,
  response jsonb not null,
  primary key (project_id, idempotency_key)
);

-- Apart from the ticket, so that moving a ticket never touches the vector index.
create table ticket_embeddings (
  ticket_id uuid primary key references tickets (id),
  project_id uuid not null,
  open boolean not null,
  embedding vector(384) not null
);
create index ticket_embeddings_project_idx on ticket_embeddings (project_id) where open;
create index ticket_embeddings_hnsw_idx on ticket_embeddings using hnsw (embedding vector_cosine_ops) where open;

-- Apart from the ticket for the same reason: the text index changes only with the text.
create table ticket_texts (
  ticket_id uuid primary key references tickets (id),
  project_id uuid not null,
  document tsvector not null
);
create index ticket_texts_document_idx on ticket_texts using gin (document);

-- History -------------------------------------------------------------------------------------------------

create table history (
  id bigint generated always as identity primary key,
  project_id uuid not null,
  ticket_id uuid not null,
  entity text not null,
  entity_id text not null,
  action text not null,
  field text,
  from_value jsonb,
  to_value jsonb,
  actor jsonb not null,
  request_id text,
  created_at timestamptz(3) not null default now()
);
create index history_ticket_idx on history (ticket_id, id);

-- Who acts in this transaction, set by core/history: one author, or one for each ticket under "tickets".
-- A write without it fails: no door can forget history.
create function acting() returns jsonb language plpgsql stable as $$
declare
  actor text := nullif(current_setting('handoff.actor', true), '');
begin
  if actor is null then
    raise exception 'a change of a ticket needs an actor: write through transact()' using errcode = 'HF001';
  end if;
  return actor::jsonb;
end $$;

create function acting_on(actor jsonb, ticket text) returns jsonb language sql immutable
return case when actor ? 'tickets' then actor -> 'tickets' -> ticket else actor end;

-- One trigger function for every table with history. Arguments: entity, id column, columns that are not facts.
-- Of a new or deleted row, columns that are null are left out; nulls inside a column's own JSON stay.
create function record_history() returns trigger language plpgsql as $$
declare
  author jsonb;
  entity_name text := tg_argv[0];
  id_column text := tg_argv[1];
  ticket_column text := case when tg_argv[0] = 'ticket' then 'id' else 'ticket_id' end;
  untracked text[] := string_to_array(tg_argv[2], ' ');
begin
  if tg_op = 'INSERT' then
    if not exists (select from inserted) then return null; end if;
    author := acting();
    insert into history (project_id, ticket_id, entity, entity_id, action, to_value, actor, request_id)
    select (r.j ->> 'project_id')::uuid, (r.j ->> ticket_column)::uuid, entity_name, r.j ->> id_column, 'created', (
             select jsonb_object_agg(key, value) from jsonb_each(r.j - untracked) where value <> 'null'),
           r.who - 'request_id', r.who ->> 'request_id'
    from (select j, acting_on(author, j ->> ticket_column) as who from (select to_jsonb(i) as j from inserted i offset 0) i) r;
  elsif tg_op = 'DELETE' then
    if not exists (select from deleted) then return null; end if;
    author := acting();
    insert into history (project_id, ticket_id, entity, entity_id, action, from_value, actor, request_id)
    select (r.j ->> 'project_id')::uuid, (r.j ->> ticket_column)::uuid, entity_name, r.j ->> id_column, 'deleted', (
             select jsonb_object_agg(key, value) from jsonb_each(r.j - untracked) where value <> 'null'),
           r.who - 'request_id', r.who ->> 'request_id'
    from (select j, acting_on(author, j ->> ticket_column) as who from (select to_jsonb(d) as j from deleted d offset 0) d) r;
  else
    if not exists (select from inserted) then return null; end if;
    author := acting();
    insert into history (project_id, ticket_id, entity, entity_id, action, field, from_value, to_value, actor, request_id)
    select (n.j ->> 'project_id')::uuid, (n.j ->> ticket_column)::uuid, entity_name, n.j ->> id_column, 'changed',
           f.key, nullif(o.j -> f.key, 'null'), nullif(f.value, 'null'), n.who - 'request_id', n.who ->> 'request_id'
    from (select j, acting_on(author, j ->> ticket_column) as who from (select to_jsonb(i) as j from inserted i offset 0) i) n
    join (select to_jsonb(d) as j from deleted d) o
      on o.j ->> id_column = n.j ->> id_column and o.j ->> ticket_column = n.j ->> ticket_column
    cross join lateral jsonb_each(n.j - untracked) f
    where f.value is distinct from o.j -> f.key;
  end if;
  return null;
end $$;

create trigger tickets_history_insert after insert on tickets referencing new table as inserted
  for each statement execute function record_history('ticket', 'id', 'id project_id priority_rank ship_state version created_at updated_at');
create trigger tickets_history_update after update on tickets referencing old table as deleted new table as inserted
  for each statement execute function record_history('ticket', 'id', 'id project_id priority_rank ship_state version created_at updated_at');

create trigger ticket_roles_history_insert after insert on ticket_roles referencing new table as inserted
  for each statement execute function record_history('role', 'role', 'ticket_id project_id');
create trigger ticket_roles_history_update after update on ticket_roles referencing old table as deleted new table as inserted
  for each statement execute function record_history('role', 'role', 'ticket_id project_id');
create trigger ticket_roles_history_delete after delete on ticket_roles referencing old table as deleted
  for each statement execute function record_history('role', 'role', 'ticket_id project_id');

-- The searched text follows the ticket's, whoever writes it.
create function ticket_document(title text, description text) returns tsvector language sql immutable
return setweight(to_tsvector('english', title), 'A') || to_tsvector('english', description);

create function index_new_texts() returns trigger language plpgsql as $$
begin
  insert into ticket_texts (ticket_id, project_id, document)
  select id, project_id, ticket_document(title, description) from inserted;
  return null;
end $$;
create trigger tickets_text_insert after insert on tickets referencing new table as inserted
  for each statement execute function index_new_texts();

create function index_changed_text() returns trigger language plpgsql as $$
begin
  update ticket_texts set document = ticket_document(new.title, new.description) where ticket_id = new.id;
  return null;
end $$;
create trigger tickets_text_update after update of title, description on tickets
  for each row when (old.title is distinct from new.title or old.description is distinct from new.description)
  execute function index_changed_text();

-- The open tickets nearest to a vector, best first. The scan goes on past the index's first page when the
-- filter (project, open) drops too many of its rows. Planned at each call: a plan for any project takes each for one of
-- average size, and compares all of 100,000 vectors (65 ms) where the index has the answer in 3.
create function similar_tickets(in_project uuid, query vector(384), threshold double precision, max_rows integer)
returns table (ticket_id uuid, similarity double precision)
language plpgsql stable
set hnsw.ef_search = 100
set hnsw.iterative_scan = 'strict_order'
as $$
begin
  return query execute $query$
    select n.ticket_id, n.similarity from (
      select e.ticket_id, 1 - (e.embedding <=> $2) as similarity
      from ticket_embeddings e
      where e.project_id = $1 and e.open
      order by e.embedding <=> $2
      limit $4
    ) n where n.similarity >= $3
  $query$ using in_project, query, threshold, max_rows;
end $$;
