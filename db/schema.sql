-- Written by db/dump_schema.ts --write; do not edit.

CREATE OR REPLACE FUNCTION public.acting()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  actor text := nullif(current_setting('handoff.actor', true), '');
begin
  if actor is null then
    raise exception 'a change of a ticket needs an actor: write through transact()' using errcode = 'HF001';
  end if;
  return actor::jsonb;
end $function$
;

CREATE OR REPLACE FUNCTION public.acting_on(actor jsonb, ticket text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (actor ? 'tickets'::text) THEN ((actor -> 'tickets'::text) -> ticket) ELSE actor END
;

CREATE OR REPLACE FUNCTION public.follow_merge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.index_changed_text()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update ticket_texts set document = ticket_document(new.title, new.description) where ticket_id = new.id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.index_new_texts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into ticket_texts (ticket_id, project_id, document)
  select id, project_id, ticket_document(title, description) from inserted;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.link_known_pull_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform lock_pull_request(new.repo, new.number);
  new.state := coalesce((select state from pull_requests where repo = new.repo and number = new.number), new.state);
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.lock_pull_request(in_repo text, in_number integer)
 RETURNS void
 LANGUAGE sql
AS $function$
  select pg_advisory_xact_lock(hashtextextended(in_repo || '#' || in_number, 4))
$function$
;

CREATE OR REPLACE FUNCTION public.record_changes_of_tasks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      author jsonb;
    begin
      if not exists (select from inserted) then return null; end if;
      author := acting();
      insert into history (project_id, ticket_id, entity, entity_id, action, field, from_value, to_value, actor, request_id)
      select n.project_id, n.ticket_id, 'task', n.id::text, 'changed', f.field, f.was, f.becomes,
        acting_on(author, n.ticket_id::text) - 'request_id', acting_on(author, n.ticket_id::text) ->> 'request_id'
      from inserted n join deleted o on o.ticket_id = n.ticket_id and o.id = n.id
      cross join lateral (select 'sequence', to_jsonb(o.sequence), to_jsonb(n.sequence) where o.sequence is distinct from n.sequence union all select 'title', to_jsonb(o.title), to_jsonb(n.title) where o.title is distinct from n.title union all select 'body', to_jsonb(o.body), to_jsonb(n.body) where o.body is distinct from n.body union all select 'summary', to_jsonb(o.summary), to_jsonb(n.summary) where o.summary is distinct from n.summary union all select 'role', to_jsonb(o.role), to_jsonb(n.role) where o.role is distinct from n.role union all select 'status', to_jsonb(o.status), to_jsonb(n.status) where o.status is distinct from n.status union all select 'assignee_user_id', to_jsonb(o.assignee_user_id), to_jsonb(n.assignee_user_id) where o.assignee_user_id is distinct from n.assignee_user_id union all select 'assignee_session_id', to_jsonb(o.assignee_session_id), to_jsonb(n.assignee_session_id) where o.assignee_session_id is distinct from n.assignee_session_id union all select 'depends_on_task_ids', to_jsonb(o.depends_on_task_ids), to_jsonb(n.depends_on_task_ids) where o.depends_on_task_ids is distinct from n.depends_on_task_ids union all select 'acceptance_criteria', to_jsonb(o.acceptance_criteria), to_jsonb(n.acceptance_criteria) where o.acceptance_criteria is distinct from n.acceptance_criteria union all select 'estimated_minutes', to_jsonb(o.estimated_minutes), to_jsonb(n.estimated_minutes) where o.estimated_minutes is distinct from n.estimated_minutes union all select 'actual_minutes', to_jsonb(o.actual_minutes), to_jsonb(n.actual_minutes) where o.actual_minutes is distinct from n.actual_minutes union all select 'blocking_reason', to_jsonb(o.blocking_reason), to_jsonb(n.blocking_reason) where o.blocking_reason is distinct from n.blocking_reason union all select 'started_at', to_jsonb(o.started_at), to_jsonb(n.started_at) where o.started_at is distinct from n.started_at union all select 'completed_at', to_jsonb(o.completed_at), to_jsonb(n.completed_at) where o.completed_at is distinct from n.completed_at) f (field, was, becomes);
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION public.record_changes_of_test_cases()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      author jsonb;
    begin
      if not exists (select from inserted) then return null; end if;
      author := acting();
      insert into history (project_id, ticket_id, entity, entity_id, action, field, from_value, to_value, actor, request_id)
      select n.project_id, n.ticket_id, 'test_case', n.id::text, 'changed', f.field, f.was, f.becomes,
        acting_on(author, n.ticket_id::text) - 'request_id', acting_on(author, n.ticket_id::text) ->> 'request_id'
      from inserted n join deleted o on o.ticket_id = n.ticket_id and o.id = n.id
      cross join lateral (select 'title', to_jsonb(o.title), to_jsonb(n.title) where o.title is distinct from n.title union all select 'instruction', to_jsonb(o.instruction), to_jsonb(n.instruction) where o.instruction is distinct from n.instruction union all select 'link', to_jsonb(o.link), to_jsonb(n.link) where o.link is distinct from n.link union all select 'status', to_jsonb(o.status), to_jsonb(n.status) where o.status is distinct from n.status union all select 'decided_by', to_jsonb(o.decided_by), to_jsonb(n.decided_by) where o.decided_by is distinct from n.decided_by union all select 'decided_at', to_jsonb(o.decided_at), to_jsonb(n.decided_at) where o.decided_at is distinct from n.decided_at union all select 'note', to_jsonb(o.note), to_jsonb(n.note) where o.note is distinct from n.note) f (field, was, becomes);
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION public.record_changes_of_ticket_roles()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      author jsonb;
    begin
      if not exists (select from inserted) then return null; end if;
      author := acting();
      insert into history (project_id, ticket_id, entity, entity_id, action, field, from_value, to_value, actor, request_id)
      select n.project_id, n.ticket_id, 'role', n.role::text, 'changed', f.field, f.was, f.becomes,
        acting_on(author, n.ticket_id::text) - 'request_id', acting_on(author, n.ticket_id::text) ->> 'request_id'
      from inserted n join deleted o on o.ticket_id = n.ticket_id and o.role = n.role
      cross join lateral (select 'role', to_jsonb(o.role), to_jsonb(n.role) where o.role is distinct from n.role union all select 'status', to_jsonb(o.status), to_jsonb(n.status) where o.status is distinct from n.status) f (field, was, becomes);
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION public.record_changes_of_tickets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    declare
      author jsonb;
    begin
      if not exists (select from inserted) then return null; end if;
      author := acting();
      insert into history (project_id, ticket_id, entity, entity_id, action, field, from_value, to_value, actor, request_id)
      select n.project_id, n.id, 'ticket', n.id::text, 'changed', f.field, f.was, f.becomes,
        acting_on(author, n.id::text) - 'request_id', acting_on(author, n.id::text) ->> 'request_id'
      from inserted n join deleted o on o.id = n.id and o.id = n.id
      cross join lateral (select 'number', to_jsonb(o.number), to_jsonb(n.number) where o.number is distinct from n.number union all select 'title', to_jsonb(o.title), to_jsonb(n.title) where o.title is distinct from n.title union all select 'description', to_jsonb(o.description), to_jsonb(n.description) where o.description is distinct from n.description union all select 'request_type', to_jsonb(o.request_type), to_jsonb(n.request_type) where o.request_type is distinct from n.request_type union all select 'priority', to_jsonb(o.priority), to_jsonb(n.priority) where o.priority is distinct from n.priority union all select 'blocking', to_jsonb(o.blocking), to_jsonb(n.blocking) where o.blocking is distinct from n.blocking union all select 'evidence', to_jsonb(o.evidence), to_jsonb(n.evidence) where o.evidence is distinct from n.evidence union all select 'suggested_resolution', to_jsonb(o.suggested_resolution), to_jsonb(n.suggested_resolution) where o.suggested_resolution is distinct from n.suggested_resolution union all select 'implementation_notes', to_jsonb(o.implementation_notes), to_jsonb(n.implementation_notes) where o.implementation_notes is distinct from n.implementation_notes union all select 'actor_role', to_jsonb(o.actor_role), to_jsonb(n.actor_role) where o.actor_role is distinct from n.actor_role union all select 'actor_id', to_jsonb(o.actor_id), to_jsonb(n.actor_id) where o.actor_id is distinct from n.actor_id union all select 'source', to_jsonb(o.source), to_jsonb(n.source) where o.source is distinct from n.source union all select 'stage', to_jsonb(o.stage), to_jsonb(n.stage) where o.stage is distinct from n.stage union all select 'status', to_jsonb(o.status), to_jsonb(n.status) where o.status is distinct from n.status union all select 'resolution_type', to_jsonb(o.resolution_type), to_jsonb(n.resolution_type) where o.resolution_type is distinct from n.resolution_type union all select 'resolution_note', to_jsonb(o.resolution_note), to_jsonb(n.resolution_note) where o.resolution_note is distinct from n.resolution_note union all select 'closed_at', to_jsonb(o.closed_at), to_jsonb(n.closed_at) where o.closed_at is distinct from n.closed_at union all select 'merge_sha', to_jsonb(o.merge_sha), to_jsonb(n.merge_sha) where o.merge_sha is distinct from n.merge_sha union all select 'deployed_at', to_jsonb(o.deployed_at), to_jsonb(n.deployed_at) where o.deployed_at is distinct from n.deployed_at union all select 'deploy_failed_at', to_jsonb(o.deploy_failed_at), to_jsonb(n.deploy_failed_at) where o.deploy_failed_at is distinct from n.deploy_failed_at union all select 'created_by', to_jsonb(o.created_by), to_jsonb(n.created_by) where o.created_by is distinct from n.created_by union all select 'created_with', to_jsonb(o.created_with), to_jsonb(n.created_with) where o.created_with is distinct from n.created_with) f (field, was, becomes);
      return null;
    end $function$
;

CREATE OR REPLACE FUNCTION public.record_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.similar_tickets(in_project uuid, query vector, threshold double precision, max_rows integer)
 RETURNS TABLE(ticket_id uuid, similarity double precision)
 LANGUAGE plpgsql
 STABLE
 SET "hnsw.ef_search" TO '160'
 SET "hnsw.iterative_scan" TO 'strict_order'
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.stamp_linked_ticket()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform stamp_merge(array[new.ticket_id], new.repo, new.number);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.stamp_merge(in_tickets uuid[], in_repo text, in_number integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.ticket_document(title text, description text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE
RETURN (setweight(to_tsvector('english'::regconfig, title), 'A'::"char") || to_tsvector('english'::regconfig, description))
;

CREATE OR REPLACE PROCEDURE public.track_changes(IN of_table text, IN entity text, IN id_column text, IN untracked text)
 LANGUAGE plpgsql
AS $procedure$
declare
  ticket_column text := case when entity = 'ticket' then 'id' else 'ticket_id' end;
  changes text;
begin
  select string_agg(format('select %1$L, to_jsonb(o.%2$I), to_jsonb(n.%2$I) where o.%2$I is distinct from n.%2$I',
    attname, attname), ' union all ' order by attnum) into strict changes
  from pg_attribute
  where attrelid = of_table::regclass and attnum > 0 and not attisdropped and attname <> all (string_to_array(untracked, ' '));
  execute format($function$
    create or replace function %1$I() returns trigger language plpgsql as $body$
    declare
      author jsonb;
    begin
      if not exists (select from inserted) then return null; end if;
      author := acting();
      insert into history (project_id, ticket_id, entity, entity_id, action, field, from_value, to_value, actor, request_id)
      select n.project_id, n.%2$I, %3$L, n.%4$I::text, 'changed', f.field, f.was, f.becomes,
        acting_on(author, n.%2$I::text) - 'request_id', acting_on(author, n.%2$I::text) ->> 'request_id'
      from inserted n join deleted o on o.%2$I = n.%2$I and o.%4$I = n.%4$I
      cross join lateral (%5$s) f (field, was, becomes);
      return null;
    end $body$ $function$, 'record_changes_of_' || of_table, ticket_column, entity, id_column, changes);
  execute format('create or replace trigger %I after update on %I referencing old table as deleted new table as inserted
    for each statement execute function %I()', of_table || '_history_update', of_table, 'record_changes_of_' || of_table);
end $procedure$
;

CREATE OR REPLACE FUNCTION public.wire_times(whole_row jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(jsonb_object_agg(key, case when key like '%\_at' and jsonb_typeof(value) = 'string'
    then to_jsonb(to_char((value #>> '{}')::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) else value end), '{}')
  from jsonb_each(whole_row)
$function$
;

create table accounts (
  id uuid not null,
  name text not null,
  slug text not null,
  disabled_roles text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table accounts add constraint accounts_pkey PRIMARY KEY (id);
alter table accounts add constraint accounts_slug_key UNIQUE (slug);

create table agent_runs (
  id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  agent_id text not null,
  task_ids uuid[] not null default '{}'::uuid[],
  status text not null default 'running'::text,
  summary text,
  branch_name text,
  pull_request_url text,
  event_at timestamp(3) with time zone,
  event_tie text,
  settled_tasks jsonb not null default '[]'::jsonb,
  moved_ticket boolean not null default false,
  created_by uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table agent_runs add constraint agent_runs_agent_key UNIQUE (agent_id);
alter table agent_runs add constraint agent_runs_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id);
alter table agent_runs add constraint agent_runs_pkey PRIMARY KEY (id);
alter table agent_runs add constraint agent_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'finished'::text, 'failed'::text])));
alter table agent_runs add constraint agent_runs_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX agent_runs_ticket_idx ON public.agent_runs USING btree (ticket_id, id);
CREATE TRIGGER agent_runs_history_insert AFTER INSERT ON public.agent_runs REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('agent_run', 'id', 'id ticket_id project_id event_tie settled_tasks moved_ticket created_at updated_at');
CREATE TRIGGER agent_runs_history_update AFTER UPDATE ON public.agent_runs REFERENCING OLD TABLE AS deleted NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('agent_run', 'id', 'id ticket_id project_id event_tie settled_tasks moved_ticket created_at updated_at');

create table analysis_backlog (
  project_id uuid not null,
  ticket_id uuid not null,
  history_id bigint not null
);
alter table analysis_backlog add constraint analysis_backlog_pkey PRIMARY KEY (project_id, ticket_id);

create table analysis_cursor (
  only_row boolean not null default true,
  history_id bigint not null
);
alter table analysis_cursor add constraint analysis_cursor_only_row_check CHECK (only_row);
alter table analysis_cursor add constraint analysis_cursor_pkey PRIMARY KEY (only_row);

create table api_keys (
  id uuid not null,
  user_id uuid not null,
  project_id uuid,
  name text not null,
  prefix text not null,
  key_hash bytea not null,
  scopes text[] not null,
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now()
);
alter table api_keys add constraint api_keys_key_hash_key UNIQUE (key_hash);
alter table api_keys add constraint api_keys_pkey PRIMARY KEY (id);
alter table api_keys add constraint api_keys_prefix_key UNIQUE (prefix);
alter table api_keys add constraint api_keys_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
alter table api_keys add constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX api_keys_user_idx ON public.api_keys USING btree (user_id, id);

create table audit_log (
  id bigint not null generated always as identity,
  account_id uuid,
  action text not null,
  actor jsonb not null,
  target_type text,
  target_id text,
  details jsonb not null default '{}'::jsonb,
  request_id text,
  created_at timestamp(3) with time zone not null default now()
);
alter table audit_log add constraint audit_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table audit_log add constraint audit_log_pkey PRIMARY KEY (id);
CREATE INDEX audit_log_account_idx ON public.audit_log USING btree (account_id, id);
CREATE INDEX audit_log_action_idx ON public.audit_log USING btree (account_id, action, id);

create table billing_customers (
  account_id uuid not null,
  customer_id text not null,
  subscription_id text,
  event_created bigint not null,
  event_id text not null,
  updated_at timestamp(3) with time zone not null default now()
);
alter table billing_customers add constraint billing_customers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table billing_customers add constraint billing_customers_pkey PRIMARY KEY (account_id);

create table billing_subscriptions (
  subscription_id text not null,
  customer_id text not null,
  status text not null,
  price_id text,
  cancel_at_period_end boolean not null,
  current_period_end timestamp(3) with time zone,
  started_at timestamp(3) with time zone not null,
  ended boolean not null,
  event_created bigint not null,
  event_rank smallint not null,
  event_id text not null,
  updated_at timestamp(3) with time zone not null default now()
);
alter table billing_subscriptions add constraint billing_subscriptions_pkey PRIMARY KEY (subscription_id);
CREATE INDEX billing_subscriptions_customer_idx ON public.billing_subscriptions USING btree (customer_id);

create table claims (
  name text not null,
  holder uuid not null,
  expires_at timestamp(3) with time zone not null
);
alter table claims add constraint claims_pkey PRIMARY KEY (name);

create table code_hosting_accounts (
  user_id uuid not null,
  login text not null,
  provider_user_id bigint not null,
  scopes text[],
  token text not null,
  state text not null default 'active'::text,
  linked_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table code_hosting_accounts add constraint code_hosting_accounts_pkey PRIMARY KEY (user_id);
alter table code_hosting_accounts add constraint code_hosting_accounts_state_check CHECK ((state = ANY (ARRAY['active'::text, 'refused'::text])));
alter table code_hosting_accounts add constraint code_hosting_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);

create table deliveries (
  id uuid not null,
  provider text not null,
  delivery_id text,
  event text not null,
  subject text,
  body bytea not null,
  body_sha256 bytea not null,
  outcome text not null,
  reason text,
  error text,
  attempts integer not null default 1,
  request_id text not null,
  received_at timestamp(3) with time zone not null default now(),
  decided_at timestamp(3) with time zone not null default now()
);
alter table deliveries add constraint deliveries_outcome_check CHECK ((outcome = ANY (ARRAY['applied'::text, 'ignored'::text, 'failed'::text])));
alter table deliveries add constraint deliveries_pkey PRIMARY KEY (id);
alter table deliveries add constraint deliveries_provider_check CHECK ((provider = ANY (ARRAY['cloud_agent'::text, 'payment'::text, 'deploy'::text, 'github'::text])));
CREATE UNIQUE INDEX deliveries_body_key ON public.deliveries USING btree (provider, body_sha256);
CREATE UNIQUE INDEX deliveries_delivery_key ON public.deliveries USING btree (provider, delivery_id) WHERE (delivery_id IS NOT NULL);
CREATE INDEX deliveries_failed_idx ON public.deliveries USING btree (id) WHERE (outcome = 'failed'::text);
CREATE INDEX deliveries_received_idx ON public.deliveries USING btree (received_at);
CREATE INDEX deliveries_subject_idx ON public.deliveries USING btree (provider, subject) WHERE (subject IS NOT NULL);

create table deploy_reports (
  repo text not null,
  first_reported_at timestamp(3) with time zone not null default now(),
  last_reported_at timestamp(3) with time zone not null default now()
);
alter table deploy_reports add constraint deploy_reports_pkey PRIMARY KEY (repo);

create table deploys (
  repo text not null,
  sha text not null,
  status text not null,
  reported_at timestamp(3) with time zone not null default now()
);
alter table deploys add constraint deploys_pkey PRIMARY KEY (sha, repo, status);
alter table deploys add constraint deploys_status_check CHECK ((status = ANY (ARRAY['success'::text, 'failed'::text])));

create table history (
  id bigint not null generated always as identity,
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
  created_at timestamp(3) with time zone not null default now()
);
alter table history add constraint history_pkey PRIMARY KEY (id);
CREATE INDEX history_ticket_idx ON public.history USING btree (ticket_id, id);

create table hook_run_results (
  run_id uuid not null,
  "position" integer not null,
  project_id uuid not null,
  repo text not null,
  status text not null default 'pending'::text,
  hook_id bigint,
  code text,
  error text
);
alter table hook_run_results add constraint hook_run_results_pkey PRIMARY KEY (run_id, "position");
alter table hook_run_results add constraint hook_run_results_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
alter table hook_run_results add constraint hook_run_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES hook_runs(id) ON DELETE CASCADE;
alter table hook_run_results add constraint hook_run_results_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'created'::text, 'updated'::text, 'unchanged'::text, 'failed'::text])));

create table hook_runs (
  id uuid not null,
  user_id uuid not null,
  state text not null default 'queued'::text,
  code text,
  error text,
  waits integer not null default 0,
  resumes_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  finished_at timestamp(3) with time zone
);
alter table hook_runs add constraint hook_runs_pkey PRIMARY KEY (id);
alter table hook_runs add constraint hook_runs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'done'::text, 'failed'::text])));
alter table hook_runs add constraint hook_runs_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX hook_runs_user_idx ON public.hook_runs USING btree (user_id, created_at);

create table invitations (
  token_hash bytea not null,
  user_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now()
);
alter table invitations add constraint invitations_pkey PRIMARY KEY (token_hash);
alter table invitations add constraint invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX invitations_user_idx ON public.invitations USING btree (user_id);

create table project_analyses (
  project_id uuid not null,
  total integer not null,
  done integer not null,
  started_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone
);
alter table project_analyses add constraint project_analyses_pkey PRIMARY KEY (project_id);
alter table project_analyses add constraint project_analyses_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);

create table project_members (
  project_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp(3) with time zone not null default now()
);
alter table project_members add constraint project_members_pkey PRIMARY KEY (project_id, user_id);
alter table project_members add constraint project_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
alter table project_members add constraint project_members_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'member'::text, 'admin'::text])));
alter table project_members add constraint project_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX project_members_user_idx ON public.project_members USING btree (user_id);

create table project_repositories (
  project_id uuid not null,
  full_name text not null,
  created_at timestamp(3) with time zone not null default now()
);
alter table project_repositories add constraint project_repositories_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
CREATE UNIQUE INDEX project_repositories_key ON public.project_repositories USING btree (project_id, lower(full_name));
CREATE INDEX project_repositories_name_idx ON public.project_repositories USING btree (lower(full_name));

create table projects (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  key text not null,
  slug text not null,
  next_number integer not null default 1,
  archived_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
) with (fillfactor=70);
alter table projects add constraint projects_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table projects add constraint projects_key_check CHECK ((key ~ '^[A-Z][A-Z0-9]{1,9}$'::text));
alter table projects add constraint projects_key_key UNIQUE (account_id, key);
alter table projects add constraint projects_pkey PRIMARY KEY (id);
alter table projects add constraint projects_slug_key UNIQUE (account_id, slug);

create table pull_requests (
  repo text not null,
  number integer not null,
  state text not null,
  merge_sha text,
  merged_at timestamp(3) with time zone,
  event_at timestamp(3) with time zone not null
);
alter table pull_requests add constraint pull_requests_merge CHECK (((state = 'merged'::text) = ((merge_sha IS NOT NULL) AND (merged_at IS NOT NULL))));
alter table pull_requests add constraint pull_requests_pkey PRIMARY KEY (repo, number);
alter table pull_requests add constraint pull_requests_repo_check CHECK ((repo = lower(repo)));
alter table pull_requests add constraint pull_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text, 'merged'::text])));

create table rate_limits (
  key character varying(255) not null,
  points integer not null default 0,
  expire bigint
);
alter table rate_limits add constraint rate_limits_pkey PRIMARY KEY (key);

create table refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now()
);
alter table refresh_tokens add constraint refresh_tokens_pkey PRIMARY KEY (token_hash);
alter table refresh_tokens add constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE;
CREATE INDEX refresh_tokens_session_idx ON public.refresh_tokens USING btree (session_id);

create table repository_hooks (
  repo text not null,
  hook_id bigint not null,
  url text not null,
  secret_fingerprint text not null,
  provider_updated_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null default now()
);
alter table repository_hooks add constraint repository_hooks_pkey PRIMARY KEY (repo);
alter table repository_hooks add constraint repository_hooks_repo_check CHECK ((repo = lower(repo)));

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now()
);
alter table schema_migrations add constraint schema_migrations_pkey PRIMARY KEY (version);

create table scope_surveys (
  id uuid not null,
  code text not null,
  title text not null,
  questions jsonb not null,
  created_by uuid,
  closed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now()
);
alter table scope_surveys add constraint scope_surveys_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id);
alter table scope_surveys add constraint scope_surveys_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX scope_surveys_code_key ON public.scope_surveys USING btree (lower(code));

create table sessions (
  id uuid not null,
  user_id uuid not null,
  user_agent text,
  address text,
  created_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone
);
alter table sessions add constraint sessions_pkey PRIMARY KEY (id);
alter table sessions add constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE INDEX sessions_expires_idx ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user_idx ON public.sessions USING btree (user_id, id);

create table suggestions (
  id uuid not null,
  project_id uuid not null,
  kind text not null,
  status text not null default 'pending'::text,
  ticket_id uuid not null,
  other_ticket_id uuid,
  title text not null,
  rationale text not null,
  confidence double precision not null,
  evidence jsonb not null,
  fingerprint text not null,
  before_accept jsonb,
  created_at timestamp(3) with time zone not null default now(),
  decided_at timestamp(3) with time zone,
  decided_by uuid
);
alter table suggestions add constraint suggestions_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision)));
alter table suggestions add constraint suggestions_decided CHECK (((status = 'pending'::text) = (decided_at IS NULL)));
alter table suggestions add constraint suggestions_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id);
alter table suggestions add constraint suggestions_duplicate_has_other CHECK (((kind = 'duplicate'::text) = (other_ticket_id IS NOT NULL)));
alter table suggestions add constraint suggestions_fingerprint_key UNIQUE (project_id, fingerprint);
alter table suggestions add constraint suggestions_kind_check CHECK ((kind = ANY (ARRAY['duplicate'::text, 'stale'::text, 'close'::text, 'role'::text, 'split'::text])));
alter table suggestions add constraint suggestions_other_ticket_id_fkey FOREIGN KEY (other_ticket_id) REFERENCES tickets(id);
alter table suggestions add constraint suggestions_pkey PRIMARY KEY (id);
alter table suggestions add constraint suggestions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
alter table suggestions add constraint suggestions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'dismissed'::text, 'executed'::text, 'expired'::text])));
alter table suggestions add constraint suggestions_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX suggestions_other_idx ON public.suggestions USING btree (other_ticket_id) WHERE (other_ticket_id IS NOT NULL);
CREATE INDEX suggestions_pending_idx ON public.suggestions USING btree (project_id, confidence, id) WHERE (status = 'pending'::text);
CREATE INDEX suggestions_project_idx ON public.suggestions USING btree (project_id, id);
CREATE INDEX suggestions_status_idx ON public.suggestions USING btree (project_id, status, id);
CREATE INDEX suggestions_ticket_idx ON public.suggestions USING btree (ticket_id);

create table survey_responses (
  id uuid not null,
  survey_id uuid not null,
  email text not null,
  user_id uuid,
  answers jsonb not null,
  created_at timestamp(3) with time zone not null default now()
);
alter table survey_responses add constraint survey_responses_email_check CHECK ((email = lower(email)));
alter table survey_responses add constraint survey_responses_person_key UNIQUE (survey_id, email);
alter table survey_responses add constraint survey_responses_pkey PRIMARY KEY (id);
alter table survey_responses add constraint survey_responses_survey_id_fkey FOREIGN KEY (survey_id) REFERENCES scope_surveys(id);
alter table survey_responses add constraint survey_responses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
CREATE UNIQUE INDEX survey_responses_user_key ON public.survey_responses USING btree (survey_id, user_id) WHERE (user_id IS NOT NULL);

create table tasks (
  id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  sequence integer not null,
  title text not null,
  body text,
  summary text,
  role text not null,
  status text not null default 'pending'::text,
  assignee_user_id uuid,
  assignee_session_id text,
  lease_expires_at timestamp(3) with time zone,
  depends_on_task_ids uuid[] not null default '{}'::uuid[],
  acceptance_criteria jsonb not null default '[]'::jsonb,
  estimated_minutes integer,
  actual_minutes integer,
  blocking_reason text,
  started_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table tasks add constraint tasks_assignee_user_id_fkey FOREIGN KEY (assignee_user_id) REFERENCES users(id);
alter table tasks add constraint tasks_blocked_has_reason CHECK (((status = 'blocked'::text) = (blocking_reason IS NOT NULL)));
alter table tasks add constraint tasks_done_is_completed CHECK (((status <> 'done'::text) OR (completed_at IS NOT NULL)));
alter table tasks add constraint tasks_lease_is_at_work CHECK (((lease_expires_at IS NULL) OR (status = 'in_progress'::text)));
alter table tasks add constraint tasks_pkey PRIMARY KEY (id);
alter table tasks add constraint tasks_role_check CHECK ((role = ANY (ARRAY['frontend'::text, 'backend'::text, 'design'::text, 'devops'::text, 'qa'::text, 'other'::text])));
alter table tasks add constraint tasks_sequence_key UNIQUE (ticket_id, sequence) DEFERRABLE INITIALLY DEFERRED;
alter table tasks add constraint tasks_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'blocked'::text, 'done'::text, 'skipped'::text])));
alter table tasks add constraint tasks_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX tasks_assignee_idx ON public.tasks USING btree (assignee_user_id) WHERE (assignee_user_id IS NOT NULL);
CREATE INDEX tasks_lease_idx ON public.tasks USING btree (lease_expires_at) WHERE (lease_expires_at IS NOT NULL);
CREATE TRIGGER tasks_history_delete AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_history('task', 'id', 'id ticket_id project_id lease_expires_at version created_at updated_at');
CREATE TRIGGER tasks_history_insert AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('task', 'id', 'id ticket_id project_id lease_expires_at version created_at updated_at');
CREATE TRIGGER tasks_history_update AFTER UPDATE ON public.tasks REFERENCING OLD TABLE AS deleted NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_tasks();

create table test_cases (
  id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  title text not null,
  instruction text not null,
  link text,
  status text not null default 'pending'::text,
  decided_by uuid,
  decided_at timestamp(3) with time zone,
  note text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table test_cases add constraint test_cases_decided CHECK (((status = 'pending'::text) = (decided_at IS NULL)));
alter table test_cases add constraint test_cases_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id);
alter table test_cases add constraint test_cases_pkey PRIMARY KEY (id);
alter table test_cases add constraint test_cases_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text])));
alter table test_cases add constraint test_cases_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX test_cases_ticket_idx ON public.test_cases USING btree (ticket_id, id);
CREATE TRIGGER test_cases_history_delete AFTER DELETE ON public.test_cases REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_history('test_case', 'id', 'id ticket_id project_id created_at updated_at');
CREATE TRIGGER test_cases_history_insert AFTER INSERT ON public.test_cases REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('test_case', 'id', 'id ticket_id project_id created_at updated_at');
CREATE TRIGGER test_cases_history_update AFTER UPDATE ON public.test_cases REFERENCING OLD TABLE AS deleted NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_test_cases();

create table ticket_creations (
  project_id uuid not null,
  idempotency_key text not null,
  ticket_id uuid not null,
  response jsonb not null
);
alter table ticket_creations add constraint ticket_creations_pkey PRIMARY KEY (project_id, idempotency_key);

create table ticket_duplicates (
  ticket_id uuid not null,
  project_id uuid not null,
  duplicate_of uuid not null,
  created_at timestamp(3) with time zone not null default now()
);
alter table ticket_duplicates add constraint ticket_duplicates_duplicate_of_fkey FOREIGN KEY (duplicate_of) REFERENCES tickets(id);
alter table ticket_duplicates add constraint ticket_duplicates_other CHECK ((ticket_id <> duplicate_of));
alter table ticket_duplicates add constraint ticket_duplicates_pkey PRIMARY KEY (ticket_id);
alter table ticket_duplicates add constraint ticket_duplicates_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX ticket_duplicates_of_idx ON public.ticket_duplicates USING btree (duplicate_of);
CREATE TRIGGER ticket_duplicates_history_delete AFTER DELETE ON public.ticket_duplicates REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_history('duplicate', 'duplicate_of', 'ticket_id project_id created_at');
CREATE TRIGGER ticket_duplicates_history_insert AFTER INSERT ON public.ticket_duplicates REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('duplicate', 'duplicate_of', 'ticket_id project_id created_at');

create table ticket_embeddings (
  ticket_id uuid not null,
  project_id uuid not null,
  open boolean not null,
  embedding vector(384) not null
);
alter table ticket_embeddings add constraint ticket_embeddings_pkey PRIMARY KEY (ticket_id);
alter table ticket_embeddings add constraint ticket_embeddings_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX ticket_embeddings_hnsw_idx ON public.ticket_embeddings USING hnsw (embedding vector_cosine_ops) WITH (ef_construction='200') WHERE open;
CREATE INDEX ticket_embeddings_project_idx ON public.ticket_embeddings USING btree (project_id) WHERE open;

create table ticket_issues (
  ticket_id uuid not null,
  project_id uuid not null,
  repo_full_name text not null,
  issue_number integer not null,
  issue_url text not null,
  title text,
  state text,
  event_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table ticket_issues add constraint ticket_issues_issue_number_check CHECK ((issue_number > 0));
alter table ticket_issues add constraint ticket_issues_pkey PRIMARY KEY (ticket_id);
alter table ticket_issues add constraint ticket_issues_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text])));
alter table ticket_issues add constraint ticket_issues_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX ticket_issues_issue_idx ON public.ticket_issues USING btree (lower(repo_full_name), issue_number);
CREATE TRIGGER ticket_issues_history_delete AFTER DELETE ON public.ticket_issues REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_history('linked_issue', 'ticket_id', 'ticket_id project_id event_at created_at updated_at');
CREATE TRIGGER ticket_issues_history_insert AFTER INSERT ON public.ticket_issues REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('linked_issue', 'ticket_id', 'ticket_id project_id event_at created_at updated_at');
CREATE TRIGGER ticket_issues_history_update AFTER UPDATE ON public.ticket_issues REFERENCING OLD TABLE AS deleted NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('linked_issue', 'ticket_id', 'ticket_id project_id event_at created_at updated_at');

create table ticket_pull_requests (
  id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  repo text not null,
  number integer not null,
  url text not null,
  state text not null default 'open'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table ticket_pull_requests add constraint ticket_pull_requests_pkey PRIMARY KEY (id);
alter table ticket_pull_requests add constraint ticket_pull_requests_repo_check CHECK ((repo = lower(repo)));
alter table ticket_pull_requests add constraint ticket_pull_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text, 'merged'::text])));
alter table ticket_pull_requests add constraint ticket_pull_requests_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE UNIQUE INDEX ticket_pull_requests_key ON public.ticket_pull_requests USING btree (ticket_id, lower(repo), number);
CREATE INDEX ticket_pull_requests_number_idx ON public.ticket_pull_requests USING btree (lower(repo), number);
CREATE TRIGGER ticket_pull_requests_history_delete AFTER DELETE ON public.ticket_pull_requests REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_history('pull_request', 'id', 'id ticket_id project_id created_at updated_at');
CREATE TRIGGER ticket_pull_requests_history_insert AFTER INSERT ON public.ticket_pull_requests REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('pull_request', 'id', 'id ticket_id project_id created_at updated_at');
CREATE TRIGGER ticket_pull_requests_history_update AFTER UPDATE ON public.ticket_pull_requests REFERENCING OLD TABLE AS deleted NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('pull_request', 'id', 'id ticket_id project_id created_at updated_at');
CREATE TRIGGER ticket_pull_requests_known BEFORE INSERT ON public.ticket_pull_requests FOR EACH ROW EXECUTE FUNCTION link_known_pull_request();
CREATE TRIGGER ticket_pull_requests_stamp AFTER INSERT ON public.ticket_pull_requests FOR EACH ROW EXECUTE FUNCTION stamp_linked_ticket();

create table ticket_roles (
  ticket_id uuid not null,
  project_id uuid not null,
  role text not null,
  status text not null default 'pending'::text
);
alter table ticket_roles add constraint ticket_roles_pkey PRIMARY KEY (ticket_id, role);
alter table ticket_roles add constraint ticket_roles_role_check CHECK ((role = ANY (ARRAY['frontend'::text, 'backend'::text, 'design'::text, 'devops'::text, 'qa'::text, 'other'::text])));
alter table ticket_roles add constraint ticket_roles_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'done'::text, 'skipped'::text])));
alter table ticket_roles add constraint ticket_roles_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX ticket_roles_role_idx ON public.ticket_roles USING btree (project_id, role, ticket_id);
CREATE TRIGGER ticket_roles_history_delete AFTER DELETE ON public.ticket_roles REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION record_history('role', 'role', 'ticket_id project_id');
CREATE TRIGGER ticket_roles_history_insert AFTER INSERT ON public.ticket_roles REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('role', 'role', 'ticket_id project_id');
CREATE TRIGGER ticket_roles_history_update AFTER UPDATE ON public.ticket_roles REFERENCING OLD TABLE AS deleted NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_ticket_roles();

create table ticket_texts (
  ticket_id uuid not null,
  project_id uuid not null,
  document tsvector not null
);
alter table ticket_texts add constraint ticket_texts_pkey PRIMARY KEY (ticket_id);
alter table ticket_texts add constraint ticket_texts_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id);
CREATE INDEX ticket_texts_document_idx ON public.ticket_texts USING gin (document);

create table tickets (
  id uuid not null,
  project_id uuid not null,
  number integer not null,
  title text not null,
  description text not null,
  request_type text not null,
  priority text not null,
  priority_rank smallint not null generated always as (
CASE priority
    WHEN 'high'::text THEN 3
    WHEN 'medium'::text THEN 2
    ELSE 1
END) stored,
  blocking boolean not null,
  evidence jsonb,
  suggested_resolution text,
  implementation_notes text,
  actor_role text not null,
  actor_id text not null,
  source text not null,
  stage text not null default 'backlog'::text,
  status text not null default 'open'::text,
  resolution_type text,
  resolution_note text,
  closed_at timestamp(3) with time zone,
  merge_sha text,
  deployed_at timestamp(3) with time zone,
  deploy_failed_at timestamp(3) with time zone,
  ship_state text not null generated always as (
CASE
    WHEN ((deploy_failed_at IS NOT NULL) AND ((deployed_at IS NULL) OR (deploy_failed_at > deployed_at))) THEN 'deploy_failed'::text
    WHEN (deployed_at IS NOT NULL) THEN 'deployed'::text
    WHEN (merge_sha IS NOT NULL) THEN 'merged'::text
    ELSE 'none'::text
END) stored,
  created_by uuid,
  created_with text not null,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table tickets add constraint tickets_closed_at CHECK (((status = 'closed'::text) = (closed_at IS NOT NULL)));
alter table tickets add constraint tickets_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id);
alter table tickets add constraint tickets_created_with_check CHECK ((created_with = ANY (ARRAY['session'::text, 'key'::text])));
alter table tickets add constraint tickets_live_is_closed CHECK (((stage = 'live'::text) = (status = 'closed'::text)));
alter table tickets add constraint tickets_number_key UNIQUE (project_id, number);
alter table tickets add constraint tickets_pkey PRIMARY KEY (id);
alter table tickets add constraint tickets_priority_check CHECK ((priority = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])));
alter table tickets add constraint tickets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);
alter table tickets add constraint tickets_request_type_check CHECK ((request_type = ANY (ARRAY['bug'::text, 'clarification_needed'::text, 'decision_needed'::text, 'feature_request'::text])));
alter table tickets add constraint tickets_resolution_type_check CHECK ((resolution_type = ANY (ARRAY['completed'::text, 'already_done'::text, 'duplicate'::text, 'wont_fix'::text, 'no_longer_relevant'::text, 'cancelled'::text])));
alter table tickets add constraint tickets_stage_check CHECK ((stage = ANY (ARRAY['backlog'::text, 'up_next'::text, 'in_progress'::text, 'validation'::text, 'live'::text])));
alter table tickets add constraint tickets_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])));
CREATE INDEX tickets_created_idx ON public.tickets USING btree (project_id, created_at, id);
CREATE INDEX tickets_merge_sha_idx ON public.tickets USING btree (merge_sha) WHERE (merge_sha IS NOT NULL);
CREATE INDEX tickets_merged_idx ON public.tickets USING btree (id) WHERE ((status = 'open'::text) AND (merge_sha IS NOT NULL));
CREATE INDEX tickets_priority_idx ON public.tickets USING btree (project_id, priority_rank, id);
CREATE INDEX tickets_ship_idx ON public.tickets USING btree (project_id, ship_state, created_at, id) WHERE (ship_state = ANY (ARRAY['merged'::text, 'deploy_failed'::text]));
CREATE INDEX tickets_stage_idx ON public.tickets USING btree (project_id, stage, created_at, id);
CREATE INDEX tickets_updated_idx ON public.tickets USING btree (project_id, updated_at, id);
CREATE TRIGGER tickets_follow_merge BEFORE UPDATE OF merge_sha ON public.tickets FOR EACH ROW WHEN ((new.merge_sha IS DISTINCT FROM old.merge_sha)) EXECUTE FUNCTION follow_merge();
CREATE TRIGGER tickets_history_insert AFTER INSERT ON public.tickets REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_history('ticket', 'id', 'id project_id priority_rank ship_state version created_at updated_at');
CREATE TRIGGER tickets_history_update AFTER UPDATE ON public.tickets REFERENCING OLD TABLE AS deleted NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION record_changes_of_tickets();
CREATE TRIGGER tickets_text_insert AFTER INSERT ON public.tickets REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION index_new_texts();
CREATE TRIGGER tickets_text_update AFTER UPDATE OF title, description ON public.tickets FOR EACH ROW WHEN (((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description))) EXECUTE FUNCTION index_changed_text();

create table users (
  id uuid not null,
  account_id uuid not null,
  email text not null,
  name text not null,
  kind text not null default 'human'::text,
  role text not null default 'member'::text,
  password_hash text,
  deactivated_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table users add constraint users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id);
alter table users add constraint users_kind_check CHECK ((kind = ANY (ARRAY['human'::text, 'bot'::text])));
alter table users add constraint users_pkey PRIMARY KEY (id);
alter table users add constraint users_role_check CHECK ((role = ANY (ARRAY['member'::text, 'admin'::text, 'super_admin'::text])));
CREATE INDEX users_account_idx ON public.users USING btree (account_id, id);
CREATE UNIQUE INDEX users_email_key ON public.users USING btree (lower(email));
