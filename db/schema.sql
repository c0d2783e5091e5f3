-- Written by npm run schema; do not edit. The reasons stand in db/migrations/.

create text search dictionary word_stem (template = snowball, language = 'english');

create text search configuration word_stems (parser = "default");
alter text search configuration word_stems add mapping for asciihword with word_stem;
alter text search configuration word_stems add mapping for asciiword with word_stem;
alter text search configuration word_stems add mapping for email with word_stem;
alter text search configuration word_stems add mapping for file with word_stem;
alter text search configuration word_stems add mapping for float with word_stem;
alter text search configuration word_stems add mapping for host with word_stem;
alter text search configuration word_stems add mapping for hword with word_stem;
alter text search configuration word_stems add mapping for hword_asciipart with word_stem;
alter text search configuration word_stems add mapping for hword_numpart with word_stem;
alter text search configuration word_stems add mapping for hword_part with word_stem;
alter text search configuration word_stems add mapping for int with word_stem;
alter text search configuration word_stems add mapping for numhword with word_stem;
alter text search configuration word_stems add mapping for numword with word_stem;
alter text search configuration word_stems add mapping for sfloat with word_stem;
alter text search configuration word_stems add mapping for uint with word_stem;
alter text search configuration word_stems add mapping for url with word_stem;
alter text search configuration word_stems add mapping for url_path with word_stem;
alter text search configuration word_stems add mapping for version with word_stem;
alter text search configuration word_stems add mapping for word with word_stem;

create table accounts (
  id uuid not null,
  name text not null,
  slug text not null,
  disabled_roles text[] not null default '{}'::text[],
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_slug_key UNIQUE (slug)
);

create table agent_looks (
  key_id uuid not null,
  agent text not null,
  seen bigint not null,
  recent bigint[] not null default '{}'::bigint[],
  constraint agent_looks_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE,
  constraint agent_looks_pkey PRIMARY KEY (key_id, agent)
);

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
  created_by uuid,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  move_id bigint,
  constraint agent_runs_agent_key UNIQUE (agent_id),
  constraint agent_runs_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint agent_runs_pkey PRIMARY KEY (id),
  constraint agent_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'finished'::text,
    'failed'::text, 'ended'::text]))),
  constraint agent_runs_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX agent_runs_open_idx ON public.agent_runs USING btree (project_id, id) WHERE (status = ANY
  (ARRAY['running'::text, 'failed'::text]));
CREATE INDEX agent_runs_ticket_idx ON public.agent_runs USING btree (ticket_id, id);
CREATE TRIGGER agent_runs_count_insert AFTER INSERT ON public.agent_runs FOR EACH ROW EXECUTE FUNCTION
  count_new_run();
call track_history('agent_runs', 'agent_run', 'id',
  'id ticket_id project_id event_tie settled_tasks move_id created_at updated_at');

create table analysis_backlog (
  project_id uuid not null,
  ticket_id uuid not null,
  seq bigint not null,
  constraint analysis_backlog_pkey PRIMARY KEY (project_id, ticket_id)
);

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
  created_at timestamp(3) with time zone not null default now(),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_prefix_key UNIQUE (prefix),
  constraint api_keys_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
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
  created_at timestamp(3) with time zone not null default now(),
  constraint audit_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_account_idx ON public.audit_log USING btree (account_id, id);
CREATE INDEX audit_log_action_idx ON public.audit_log USING btree (account_id, action, id);
CREATE INDEX audit_log_actions_idx ON public.audit_log USING btree (action, id);
CREATE INDEX audit_log_refused_idx ON public.audit_log USING btree (created_at) WHERE (action =
  'session.refused'::text);

create table billing_checkouts (
  account_id uuid not null,
  session_id text not null,
  asked text not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint billing_checkouts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint billing_checkouts_pkey PRIMARY KEY (account_id)
);

create table billing_customers (
  account_id uuid not null,
  customer_id text not null,
  event_created bigint not null,
  event_id text not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint billing_customers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint billing_customers_pkey PRIMARY KEY (account_id, customer_id)
);

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
  updated_at timestamp(3) with time zone not null default now(),
  cancel_at timestamp(3) with time zone,
  constraint billing_subscriptions_pkey PRIMARY KEY (subscription_id)
);
CREATE INDEX billing_subscriptions_customer_idx ON public.billing_subscriptions USING btree (customer_id);

create table board_columns (
  id uuid not null,
  project_id uuid not null,
  stage text not null,
  name text not null,
  name_key text not null,
  wip_limit integer,
  "position" integer not null,
  deleted_at timestamp(3) with time zone,
  open_stage text generated always as (
CASE
    WHEN (deleted_at IS NULL) THEN stage
    ELSE NULL::text
END) stored,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint board_columns_open UNIQUE (project_id, open_stage, id),
  constraint board_columns_pkey PRIMARY KEY (id),
  constraint board_columns_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint board_columns_stage_check CHECK ((stage = ANY (ARRAY['backlog'::text, 'up_next'::text,
    'in_progress'::text, 'validation'::text]))),
  constraint board_columns_wip_limit_check CHECK (((wip_limit >= 1) AND (wip_limit <= 999)))
);
CREATE UNIQUE INDEX board_columns_name_key ON public.board_columns USING btree (project_id, stage, name_key)
  WHERE (deleted_at IS NULL);

create table claims (
  name text not null,
  holder uuid not null,
  expires_at timestamp(3) with time zone not null,
  constraint claims_pkey PRIMARY KEY (name)
);

create table code_hosting_accounts (
  user_id uuid not null,
  login text not null,
  provider_user_id bigint not null,
  scopes text[],
  token text not null,
  state text not null default 'active'::text,
  linked_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint code_hosting_accounts_pkey PRIMARY KEY (user_id),
  constraint code_hosting_accounts_state_check CHECK ((state = ANY (ARRAY['active'::text, 'refused'::text]))),
  constraint code_hosting_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table comments (
  id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  parent_id uuid,
  body text,
  mentions uuid[] not null default '{}'::uuid[],
  created_by uuid,
  created_with text not null,
  key_id uuid,
  by_bot boolean not null,
  edited_at timestamp(3) with time zone,
  resolved_at timestamp(3) with time zone,
  resolved_by uuid,
  deleted_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  imported boolean not null default false,
  constraint comments_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint comments_created_with_check CHECK ((created_with = ANY (ARRAY['session'::text, 'key'::text]))),
  constraint comments_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES comments(id),
  constraint comments_pkey PRIMARY KEY (id),
  constraint comments_resolved_by_fkey FOREIGN KEY (resolved_by) REFERENCES users(id),
  constraint comments_text CHECK (((body IS NULL) = (deleted_at IS NOT NULL))),
  constraint comments_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX comments_mentions_idx ON public.comments USING gin (mentions) WHERE (mentions <> '{}'::uuid[]);
CREATE INDEX comments_ticket_idx ON public.comments USING btree (ticket_id, id);
call track_history('comments', 'comment', 'id',
  'id ticket_id project_id mentions created_by created_with key_id by_bot imported created_at updated_at');

create table deploy_reports (
  repo text not null,
  first_reported_at timestamp(3) with time zone not null default now(),
  last_reported_at timestamp(3) with time zone not null default now(),
  constraint deploy_reports_pkey PRIMARY KEY (repo)
);

create table deploys (
  repo text not null,
  sha text not null,
  status text not null,
  reported_at timestamp(3) with time zone not null default now(),
  constraint deploys_pkey PRIMARY KEY (sha, repo, status),
  constraint deploys_status_check CHECK ((status = ANY (ARRAY['success'::text, 'failed'::text])))
);

create table event_counter (
  last_seq bigint not null
);

create table event_followers (
  name text not null,
  seq bigint not null,
  constraint event_followers_pkey PRIMARY KEY (name)
);

create table event_outbox (
  history_id bigint not null,
  project_id uuid not null,
  ticket_version integer,
  title text,
  stage text,
  status text,
  imported boolean not null default false
) with (vacuum_truncate=off);

create table events (
  seq bigint not null,
  history_id bigint not null,
  project_id uuid not null,
  ticket_version integer,
  title text,
  stage text,
  status text,
  imported boolean not null default false,
  constraint events_pkey PRIMARY KEY (seq)
) with (vacuum_truncate=off);
CREATE INDEX events_project_idx ON public.events USING btree (project_id, seq);

create table history (
  id bigint not null generated always as identity,
  project_id uuid not null,
  ticket_id uuid,
  entity text not null,
  entity_id text not null,
  action text not null,
  from_value jsonb,
  to_value jsonb,
  actor jsonb not null,
  request_id text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  changes jsonb,
  constraint history_pkey PRIMARY KEY (id)
);
CREATE INDEX history_key_idx ON public.history USING btree (((actor ->> 'key_id'::text)), id) WHERE (actor ?
  'key_id'::text);
CREATE INDEX history_ticket_idx ON public.history USING btree (ticket_id, id);
CREATE TRIGGER history_events AFTER INSERT ON public.history REFERENCING NEW TABLE AS inserted FOR EACH
  STATEMENT EXECUTE FUNCTION queue_events();

create table hook_run_results (
  run_id uuid not null,
  "position" integer not null,
  project_id uuid not null,
  repo text not null,
  status text not null default 'pending'::text,
  hook_id bigint,
  code text,
  error text,
  constraint hook_run_results_pkey PRIMARY KEY (run_id, "position"),
  constraint hook_run_results_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint hook_run_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES hook_runs(id) ON DELETE CASCADE,
  constraint hook_run_results_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'created'::text,
    'updated'::text, 'unchanged'::text, 'failed'::text])))
);

create table hook_runs (
  id uuid not null,
  user_id uuid not null,
  state text not null default 'queued'::text,
  code text,
  error text,
  waits integer not null default 0,
  resumes_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  finished_at timestamp(3) with time zone,
  constraint hook_runs_pkey PRIMARY KEY (id),
  constraint hook_runs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text,
    'waiting'::text, 'done'::text, 'failed'::text]))),
  constraint hook_runs_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table inbound_deliveries (
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
  decided_at timestamp(3) with time zone not null default now(),
  constraint inbound_deliveries_outcome_check CHECK ((outcome = ANY (ARRAY['applied'::text, 'ignored'::text,
    'failed'::text]))),
  constraint inbound_deliveries_pkey PRIMARY KEY (id),
  constraint inbound_deliveries_provider_check CHECK ((provider = ANY (ARRAY['cloud_agent'::text,
    'payment'::text, 'deploy'::text, 'github'::text])))
);
CREATE UNIQUE INDEX inbound_deliveries_body_key ON public.inbound_deliveries USING btree (provider,
  body_sha256);
CREATE UNIQUE INDEX inbound_deliveries_delivery_key ON public.inbound_deliveries USING btree (provider,
  delivery_id) WHERE (delivery_id IS NOT NULL);
CREATE INDEX inbound_deliveries_failed_idx ON public.inbound_deliveries USING btree (id) WHERE (outcome =
  'failed'::text);
CREATE INDEX inbound_deliveries_received_idx ON public.inbound_deliveries USING btree (received_at);
CREATE INDEX inbound_deliveries_subject_idx ON public.inbound_deliveries USING btree (subject, provider) WHERE
  (subject IS NOT NULL);

create table invitations (
  token_hash bytea not null,
  user_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint invitations_pkey PRIMARY KEY (token_hash),
  constraint invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE UNIQUE INDEX invitations_unused_key ON public.invitations USING btree (user_id) WHERE (used_at IS
  NULL);
CREATE INDEX invitations_user_idx ON public.invitations USING btree (user_id);

create table issue_makers (
  ticket_id uuid not null,
  login text not null,
  constraint issue_makers_pkey PRIMARY KEY (ticket_id),
  constraint issue_makers_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);

create table labels (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  name_key text not null,
  color text not null,
  description text not null default ''::text,
  merged_into uuid,
  deleted_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint labels_color_check CHECK ((color ~ '^#[0-9a-f]{6}$'::text)),
  constraint labels_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES labels(id),
  constraint labels_pkey PRIMARY KEY (id),
  constraint labels_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE UNIQUE INDEX labels_name_key ON public.labels USING btree (project_id, name_key) WHERE (deleted_at IS
  NULL);

create table messages (
  id uuid not null,
  user_id uuid not null,
  channel text not null,
  kind text not null,
  ticket_ids uuid[] not null default '{}'::uuid[],
  link text,
  state text not null default 'pending'::text,
  tries integer not null default 0,
  next_try_at timestamp(3) with time zone not null default now(),
  error text,
  created_at timestamp(3) with time zone not null default now(),
  sent_at timestamp(3) with time zone,
  webhook_id uuid,
  account_id uuid not null,
  author_id text,
  constraint messages_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint messages_channel_check CHECK ((channel = ANY (ARRAY['mail'::text, 'chat'::text]))),
  constraint messages_kind_check CHECK ((kind = ANY (ARRAY['now'::text, 'digest'::text, 'invite'::text,
    'webhook'::text]))),
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sent'::text, 'refused'::text,
    'failed'::text, 'obsolete'::text]))),
  constraint messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX messages_author_idx ON public.messages USING btree (author_id, created_at) WHERE (author_id IS
  NOT NULL);
CREATE INDEX messages_done_idx ON public.messages USING btree (created_at) WHERE (state <> 'pending'::text);
CREATE INDEX messages_pending_idx ON public.messages USING btree (account_id, next_try_at) WHERE (state =
  'pending'::text);
CREATE INDEX messages_user_idx ON public.messages USING btree (user_id, created_at);

create table milestones (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  name_key text not null,
  description text not null default ''::text,
  due_on date,
  state text not null default 'open'::text,
  deleted_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint milestones_pkey PRIMARY KEY (id),
  constraint milestones_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint milestones_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text])))
);
CREATE UNIQUE INDEX milestones_name_key ON public.milestones USING btree (project_id, name_key) WHERE
  (deleted_at IS NULL);

create table notification_settings (
  user_id uuid not null,
  mail text not null,
  chat_url text,
  updated_at timestamp(3) with time zone not null default now(),
  chat_rests_until timestamp(3) with time zone,
  constraint notification_settings_mail_check CHECK ((mail = ANY (ARRAY['all'::text, 'urgent'::text,
    'none'::text]))),
  constraint notification_settings_pkey PRIMARY KEY (user_id),
  constraint notification_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table notifications (
  recipient_id uuid not null,
  user_id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  reason text not null,
  first_event jsonb not null,
  last_event jsonb not null,
  last_at timestamp(3) with time zone not null,
  read_at timestamp(3) with time zone,
  archived_at timestamp(3) with time zone,
  snoozed_until timestamp(3) with time zone,
  undelivered boolean not null,
  urgent boolean not null,
  constraint notifications_pkey PRIMARY KEY (recipient_id, ticket_id),
  constraint notifications_reason_check CHECK ((reason = ANY (ARRAY['question'::text, 'approval'::text,
    'mention'::text, 'assigned'::text, 'comment'::text, 'change'::text]))),
  constraint notifications_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id),
  constraint notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX notifications_inbox_idx ON public.notifications USING btree (recipient_id, last_at, ticket_id)
  WHERE (archived_at IS NULL);
CREATE INDEX notifications_ticket_idx ON public.notifications USING btree (ticket_id);
CREATE INDEX notifications_undelivered_idx ON public.notifications USING btree (last_at) WHERE undelivered;

create table outbound_deliveries (
  id uuid not null,
  endpoint_id uuid not null,
  project_id uuid not null,
  seq bigint,
  type text not null,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp(3) with time zone default now(),
  answer_status integer,
  answer text,
  error text,
  created_at timestamp(3) with time zone not null default now(),
  delivered_at timestamp(3) with time zone,
  constraint outbound_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES outbound_endpoints(id)
    ON DELETE CASCADE,
  constraint outbound_deliveries_endpoint_id_seq_key UNIQUE (endpoint_id, seq),
  constraint outbound_deliveries_pkey PRIMARY KEY (id),
  constraint outbound_deliveries_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint outbound_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text,
    'failed'::text])))
);
CREATE INDEX outbound_deliveries_age_idx ON public.outbound_deliveries USING btree (created_at);
CREATE INDEX outbound_deliveries_due_idx ON public.outbound_deliveries USING btree (endpoint_id,
  next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX outbound_deliveries_list_idx ON public.outbound_deliveries USING btree (endpoint_id, id DESC);

create table outbound_endpoints (
  id uuid not null,
  project_id uuid not null,
  url text not null,
  description text,
  types text[],
  format text not null default 'standard'::text,
  "full" boolean not null default false,
  enabled boolean not null default true,
  disabled_reason text,
  secret text not null,
  former_secret text,
  former_secret_until timestamp with time zone,
  since_seq bigint not null,
  failing_since timestamp(3) with time zone,
  paused_until timestamp(3) with time zone,
  created_by uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  url_set_by uuid,
  origin text not null,
  constraint outbound_endpoints_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint outbound_endpoints_format_check CHECK ((format = ANY (ARRAY['standard'::text, 'slack'::text]))),
  constraint outbound_endpoints_pkey PRIMARY KEY (id),
  constraint outbound_endpoints_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint outbound_endpoints_url_set_by_fkey FOREIGN KEY (url_set_by) REFERENCES users(id)
);
CREATE INDEX outbound_endpoints_project_idx ON public.outbound_endpoints USING btree (project_id, id);

create table part_creations (
  ticket_id uuid not null,
  part text not null,
  idempotency_key text not null,
  response jsonb not null,
  body_sha256 text,
  created_at timestamp(3) with time zone not null default now(),
  constraint part_creations_part_check CHECK ((part = ANY (ARRAY['task'::text, 'test_case'::text,
    'comment'::text, 'question'::text]))),
  constraint part_creations_pkey PRIMARY KEY (ticket_id, part, idempotency_key),
  constraint part_creations_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);

create table project_analyses (
  project_id uuid not null,
  total integer not null,
  done integer not null,
  started_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  constraint project_analyses_pkey PRIMARY KEY (project_id),
  constraint project_analyses_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);

create table project_keys (
  account_id uuid not null,
  key text not null,
  project_id uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint project_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint project_keys_key PRIMARY KEY (account_id, key),
  constraint project_keys_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX project_keys_project_idx ON public.project_keys USING btree (project_id);

create table project_members (
  project_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint project_members_pkey PRIMARY KEY (project_id, user_id),
  constraint project_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint project_members_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'member'::text,
    'admin'::text]))),
  constraint project_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX project_members_user_idx ON public.project_members USING btree (user_id);

create table project_repositories (
  project_id uuid not null,
  full_name text not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint project_repositories_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE UNIQUE INDEX project_repositories_key ON public.project_repositories USING btree (project_id,
  lower(full_name));
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
  updated_at timestamp(3) with time zone not null default now(),
  closing text not null default 'anyone'::text,
  time_zone text not null default 'UTC'::text,
  constraint projects_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint projects_closing_check CHECK ((closing = ANY (ARRAY['anyone'::text, 'people'::text]))),
  constraint projects_key_check CHECK ((key ~ '^[A-Z][A-Z0-9]{1,9}$'::text)),
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_slug_key UNIQUE (account_id, slug)
) with (fillfactor=70);
CREATE TRIGGER projects_keep_key AFTER INSERT OR UPDATE OF key ON public.projects FOR EACH ROW EXECUTE
  FUNCTION keep_project_key();

create table pull_requests (
  repo text not null,
  number integer not null,
  state text not null,
  merge_sha text,
  merged_at timestamp(3) with time zone,
  event_at timestamp(3) with time zone not null,
  provider_id bigint,
  constraint pull_requests_merge CHECK (((state = 'merged'::text) = ((merge_sha IS NOT NULL) AND (merged_at IS
    NOT NULL)))),
  constraint pull_requests_pkey PRIMARY KEY (repo, number),
  constraint pull_requests_repo_check CHECK ((repo = lower(repo))),
  constraint pull_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text,
    'merged'::text])))
);
CREATE INDEX pull_requests_provider_idx ON public.pull_requests USING btree (provider_id) WHERE (provider_id
  IS NOT NULL);

create table questions (
  id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  task_id uuid,
  kind text not null,
  prompt text not null,
  context text,
  options jsonb,
  selection text,
  allow_text boolean not null,
  addressee_user_id uuid,
  addressee_role text,
  resolver text not null,
  about_version integer,
  due_at timestamp(3) with time zone,
  default_option text,
  made_with_ticket boolean not null default false,
  task_was text,
  status text not null default 'pending'::text,
  option_ids text[],
  answer_text text,
  answered_by uuid,
  answered_with text,
  answered_by_bot boolean,
  ended_at timestamp(3) with time zone,
  superseded_by uuid,
  created_by uuid,
  created_with text not null,
  key_id uuid,
  by_bot boolean not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  imported boolean not null default false,
  answer_imported boolean not null default false,
  constraint questions_addressee_role_check CHECK ((addressee_role = ANY (ARRAY['member'::text,
    'admin'::text]))),
  constraint questions_addressee_user_id_fkey FOREIGN KEY (addressee_user_id) REFERENCES users(id),
  constraint questions_answer CHECK (((status = 'answered'::text) = (answered_with IS NOT NULL))),
  constraint questions_answered_by_fkey FOREIGN KEY (answered_by) REFERENCES users(id),
  constraint questions_answered_with_check CHECK ((answered_with = ANY (ARRAY['session'::text, 'key'::text,
    'default'::text]))),
  constraint questions_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint questions_created_with_check CHECK ((created_with = ANY (ARRAY['session'::text, 'key'::text]))),
  constraint questions_ended CHECK (((status = 'pending'::text) = (ended_at IS NULL))),
  constraint questions_kind_check CHECK ((kind = ANY (ARRAY['question'::text, 'decision'::text,
    'confirmation'::text]))),
  constraint questions_pkey PRIMARY KEY (id),
  constraint questions_resolver_check CHECK ((resolver = ANY (ARRAY['human_only'::text,
    'not_creator'::text]))),
  constraint questions_selection_check CHECK ((selection = ANY (ARRAY['single'::text, 'multiple'::text]))),
  constraint questions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'answered'::text,
    'withdrawn'::text, 'superseded'::text, 'expired'::text]))),
  constraint questions_superseded_by_fkey FOREIGN KEY (superseded_by) REFERENCES questions(id),
  constraint questions_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON DELETE SET NULL,
  constraint questions_task_was_check CHECK ((task_was = ANY (ARRAY['pending'::text, 'in_progress'::text]))),
  constraint questions_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX questions_asked_idx ON public.questions USING btree (created_by, id);
CREATE INDEX questions_due_idx ON public.questions USING btree (due_at) WHERE ((status = 'pending'::text) AND
  (due_at IS NOT NULL));
CREATE INDEX questions_pending_idx ON public.questions USING btree (project_id, id) WHERE (status =
  'pending'::text);
CREATE INDEX questions_task_idx ON public.questions USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE INDEX questions_ticket_idx ON public.questions USING btree (ticket_id, id);
CREATE TRIGGER questions_insert AFTER INSERT ON public.questions REFERENCING NEW TABLE AS inserted FOR EACH
  STATEMENT EXECUTE FUNCTION count_new_questions();
CREATE TRIGGER questions_update AFTER UPDATE ON public.questions REFERENCING OLD TABLE AS deleted NEW TABLE AS
  inserted FOR EACH STATEMENT EXECUTE FUNCTION count_ended_questions();
call track_history('questions', 'question', 'id',
  'id ticket_id project_id task_was answered_by_bot created_by created_with key_id by_bot imported answer_imported created_at updated_at');

create table rate_limits (
  key character varying(255) not null,
  points integer not null default 0,
  expire bigint,
  constraint rate_limits_pkey PRIMARY KEY (key)
);

create table refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);
CREATE INDEX refresh_tokens_expires_idx ON public.refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_session_idx ON public.refresh_tokens USING btree (session_id);

create table repository_hooks (
  repo text not null,
  hook_id bigint not null,
  url text not null,
  secret_fingerprint text not null,
  provider_updated_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint repository_hooks_pkey PRIMARY KEY (repo),
  constraint repository_hooks_repo_check CHECK ((repo = lower(repo)))
);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table scope_surveys (
  id uuid not null,
  code text not null,
  title text not null,
  questions jsonb not null,
  created_by uuid,
  closed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  constraint scope_surveys_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint scope_surveys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX scope_surveys_code_key ON public.scope_surveys USING btree (lower(code));

create table sessions (
  id uuid not null,
  user_id uuid not null,
  user_agent text,
  address text,
  created_at timestamp(3) with time zone not null default now(),
  last_used_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_ended_idx ON public.sessions USING btree (LEAST(revoked_at, expires_at));
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
  decided_by uuid,
  constraint suggestions_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <=
    (1)::double precision))),
  constraint suggestions_decided CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint suggestions_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint suggestions_duplicate_has_other CHECK (((kind = 'duplicate'::text) = (other_ticket_id IS NOT
    NULL))),
  constraint suggestions_fingerprint_key UNIQUE (project_id, fingerprint),
  constraint suggestions_kind_check CHECK ((kind = ANY (ARRAY['duplicate'::text, 'stale'::text, 'close'::text,
    'role'::text, 'split'::text]))),
  constraint suggestions_other_ticket_id_fkey FOREIGN KEY (other_ticket_id) REFERENCES tickets(id),
  constraint suggestions_pkey PRIMARY KEY (id),
  constraint suggestions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint suggestions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text,
    'dismissed'::text, 'executed'::text, 'expired'::text]))),
  constraint suggestions_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX suggestions_other_idx ON public.suggestions USING btree (other_ticket_id) WHERE (other_ticket_id
  IS NOT NULL);
CREATE INDEX suggestions_pending_idx ON public.suggestions USING btree (project_id, confidence, id) WHERE
  (status = 'pending'::text);
CREATE INDEX suggestions_project_idx ON public.suggestions USING btree (project_id, id);
CREATE INDEX suggestions_status_idx ON public.suggestions USING btree (project_id, status, id);
CREATE INDEX suggestions_ticket_idx ON public.suggestions USING btree (ticket_id);

create table survey_responses (
  id uuid not null,
  survey_id uuid not null,
  email text not null,
  user_id uuid,
  answers jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint survey_responses_email_check CHECK ((email = lower(email))),
  constraint survey_responses_person_key UNIQUE (survey_id, email),
  constraint survey_responses_pkey PRIMARY KEY (id),
  constraint survey_responses_survey_id_fkey FOREIGN KEY (survey_id) REFERENCES scope_surveys(id),
  constraint survey_responses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE UNIQUE INDEX survey_responses_user_key ON public.survey_responses USING btree (survey_id, user_id)
  WHERE (user_id IS NOT NULL);

create table task_numbers (
  ticket_id uuid not null,
  last integer not null,
  constraint task_numbers_pkey PRIMARY KEY (ticket_id),
  constraint task_numbers_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);

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
  updated_at timestamp(3) with time zone not null default now(),
  claimed_with uuid,
  number integer not null,
  constraint tasks_assignee_user_id_fkey FOREIGN KEY (assignee_user_id) REFERENCES users(id),
  constraint tasks_blocked_has_reason CHECK (((status = 'blocked'::text) = (blocking_reason IS NOT NULL))),
  constraint tasks_done_is_completed CHECK (((status <> 'done'::text) OR (completed_at IS NOT NULL))),
  constraint tasks_lease_is_at_work CHECK (((lease_expires_at IS NULL) OR (status = 'in_progress'::text))),
  constraint tasks_number_key UNIQUE (ticket_id, number),
  constraint tasks_pkey PRIMARY KEY (id),
  constraint tasks_role_check CHECK ((role = ANY (ARRAY['frontend'::text, 'backend'::text, 'design'::text,
    'devops'::text, 'qa'::text, 'other'::text]))),
  constraint tasks_sequence_key UNIQUE (ticket_id, sequence) DEFERRABLE INITIALLY DEFERRED,
  constraint tasks_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text,
    'blocked'::text, 'done'::text, 'skipped'::text]))),
  constraint tasks_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX tasks_assignee_idx ON public.tasks USING btree (assignee_user_id, project_id, id) WHERE
  (assignee_user_id IS NOT NULL);
CREATE INDEX tasks_lease_idx ON public.tasks USING btree (lease_expires_at) WHERE (lease_expires_at IS NOT
  NULL);
CREATE INDEX tasks_project_idx ON public.tasks USING btree (project_id, id);
CREATE INDEX tasks_role_idx ON public.tasks USING btree (project_id, role, id);
CREATE INDEX tasks_status_idx ON public.tasks USING btree (project_id, status, id);
CREATE INDEX tasks_unfinished_idx ON public.tasks USING btree (project_id, id) WHERE (status = ANY
  (ARRAY['pending'::text, 'in_progress'::text, 'blocked'::text]));
CREATE TRIGGER tasks_count_change AFTER DELETE OR UPDATE OF status ON public.tasks FOR EACH ROW EXECUTE
  FUNCTION count_changed_task();
CREATE TRIGGER tasks_count_insert AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS inserted FOR EACH
  STATEMENT EXECUTE FUNCTION count_new_tasks();
CREATE TRIGGER tasks_number BEFORE INSERT ON public.tasks FOR EACH ROW EXECUTE FUNCTION give_task_number();
call track_history('tasks', 'task', 'id',
  'id ticket_id project_id number lease_expires_at version created_at updated_at');

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
  updated_at timestamp(3) with time zone not null default now(),
  version integer not null default 1,
  constraint test_cases_decided CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint test_cases_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint test_cases_pkey PRIMARY KEY (id),
  constraint test_cases_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text,
    'rejected'::text]))),
  constraint test_cases_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX test_cases_project_idx ON public.test_cases USING btree (project_id, id);
CREATE INDEX test_cases_status_idx ON public.test_cases USING btree (project_id, status, id);
CREATE INDEX test_cases_ticket_idx ON public.test_cases USING btree (ticket_id, id);
CREATE TRIGGER test_cases_count_change AFTER DELETE OR UPDATE OF status ON public.test_cases FOR EACH ROW
  EXECUTE FUNCTION count_changed_case();
CREATE TRIGGER test_cases_count_insert AFTER INSERT ON public.test_cases REFERENCING NEW TABLE AS inserted FOR
  EACH STATEMENT EXECUTE FUNCTION count_new_cases();
call track_history('test_cases', 'test_case', 'id', 'id ticket_id project_id created_at updated_at version');

create table ticket_creations (
  project_id uuid not null,
  idempotency_key text not null,
  ticket_id uuid not null,
  response jsonb not null,
  body_sha256 text,
  created_at timestamp(3) with time zone not null default now(),
  constraint ticket_creations_pkey PRIMARY KEY (project_id, idempotency_key)
);
CREATE INDEX ticket_creations_ticket_idx ON public.ticket_creations USING btree (ticket_id);

create table ticket_duplicates (
  ticket_id uuid not null,
  project_id uuid not null,
  duplicate_of uuid not null,
  created_at timestamp(3) with time zone not null default now(),
  id uuid not null default gen_random_uuid(),
  ref text,
  constraint ticket_duplicates_duplicate_of_fkey FOREIGN KEY (duplicate_of) REFERENCES tickets(id),
  constraint ticket_duplicates_other CHECK ((ticket_id <> duplicate_of)),
  constraint ticket_duplicates_pkey PRIMARY KEY (ticket_id),
  constraint ticket_duplicates_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE UNIQUE INDEX ticket_duplicates_id ON public.ticket_duplicates USING btree (id);
CREATE INDEX ticket_duplicates_of_idx ON public.ticket_duplicates USING btree (duplicate_of);
call track_history('ticket_duplicates', 'duplicate', 'id', 'ticket_id project_id duplicate_of created_at');

create table ticket_embedding_bits (
  ticket_id uuid not null,
  project_id uuid not null,
  bits bit(384) not null,
  constraint ticket_embedding_bits_pkey PRIMARY KEY (ticket_id)
);
CREATE INDEX ticket_embedding_bits_project_idx ON public.ticket_embedding_bits USING btree (project_id);

create table ticket_embeddings (
  ticket_id uuid not null,
  project_id uuid not null,
  open boolean not null,
  embedding vector(384) not null,
  constraint ticket_embeddings_pkey PRIMARY KEY (ticket_id),
  constraint ticket_embeddings_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX ticket_embeddings_hnsw_idx ON public.ticket_embeddings USING hnsw (embedding vector_cosine_ops)
  WITH (ef_construction='200') WHERE (open AND keeps_vector_graph());
CREATE INDEX ticket_embeddings_project_idx ON public.ticket_embeddings USING btree (project_id) WHERE open;
CREATE TRIGGER ticket_embeddings_bits AFTER INSERT OR DELETE OR UPDATE ON public.ticket_embeddings FOR EACH
  ROW WHEN ((NOT keeps_vector_graph())) EXECUTE FUNCTION keep_embedding_bits();

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
  updated_at timestamp(3) with time zone not null default now(),
  constraint ticket_issues_issue_number_check CHECK ((issue_number > 0)),
  constraint ticket_issues_pkey PRIMARY KEY (ticket_id),
  constraint ticket_issues_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text]))),
  constraint ticket_issues_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX ticket_issues_issue_idx ON public.ticket_issues USING btree (lower(repo_full_name),
  issue_number);
call track_history('ticket_issues', 'linked_issue', 'ticket_id',
  'ticket_id project_id event_at created_at updated_at');

create table ticket_links (
  id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  kind text not null,
  other_id uuid not null,
  other_project_id uuid not null,
  ref text,
  created_at timestamp(3) with time zone not null default now(),
  constraint ticket_links_key UNIQUE (ticket_id, kind, other_id),
  constraint ticket_links_kind_check CHECK ((kind = ANY (ARRAY['blocked_by'::text, 'relates'::text]))),
  constraint ticket_links_order CHECK (((kind <> 'relates'::text) OR (ticket_id < other_id))),
  constraint ticket_links_other CHECK ((ticket_id <> other_id)),
  constraint ticket_links_other_id_fkey FOREIGN KEY (other_id) REFERENCES tickets(id),
  constraint ticket_links_pkey PRIMARY KEY (id),
  constraint ticket_links_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX ticket_links_other_idx ON public.ticket_links USING btree (other_id, kind);
call track_history('ticket_links', 'link', 'id', 'ticket_id project_id other_id other_project_id created_at');

create table ticket_pull_requests (
  id uuid not null,
  ticket_id uuid not null,
  project_id uuid not null,
  repo text not null,
  number integer not null,
  url text not null,
  state text not null default 'open'::text,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint ticket_pull_requests_pkey PRIMARY KEY (id),
  constraint ticket_pull_requests_repo_check CHECK ((repo = lower(repo))),
  constraint ticket_pull_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text,
    'merged'::text]))),
  constraint ticket_pull_requests_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE UNIQUE INDEX ticket_pull_requests_key ON public.ticket_pull_requests USING btree (ticket_id,
  lower(repo), number);
CREATE INDEX ticket_pull_requests_number_idx ON public.ticket_pull_requests USING btree (lower(repo), number);
call track_history('ticket_pull_requests', 'pull_request', 'id',
  'id ticket_id project_id created_at updated_at');

create table ticket_references (
  ticket_id uuid not null,
  entity text not null,
  entity_id uuid not null,
  account_id uuid not null,
  key text not null,
  number integer not null,
  created_at timestamp(3) with time zone not null,
  constraint ticket_references_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint ticket_references_entity_check CHECK ((entity = ANY (ARRAY['ticket'::text, 'task'::text,
    'test_case'::text, 'comment'::text, 'question'::text]))),
  constraint ticket_references_pkey PRIMARY KEY (entity_id, key, number),
  constraint ticket_references_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX ticket_references_ref_idx ON public.ticket_references USING btree (account_id, key, number);
CREATE INDEX ticket_references_ticket_idx ON public.ticket_references USING btree (ticket_id);

create table ticket_roles (
  ticket_id uuid not null,
  project_id uuid not null,
  role text not null,
  status text not null default 'pending'::text,
  constraint ticket_roles_pkey PRIMARY KEY (ticket_id, role),
  constraint ticket_roles_role_check CHECK ((role = ANY (ARRAY['frontend'::text, 'backend'::text,
    'design'::text, 'devops'::text, 'qa'::text, 'other'::text]))),
  constraint ticket_roles_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text,
    'done'::text, 'skipped'::text]))),
  constraint ticket_roles_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX ticket_roles_role_idx ON public.ticket_roles USING btree (project_id, role, ticket_id);
call track_history('ticket_roles', 'role', 'role', 'ticket_id project_id');

create table ticket_texts (
  ticket_id uuid not null,
  project_id uuid not null,
  document tsvector not null,
  constraint ticket_texts_pkey PRIMARY KEY (ticket_id),
  constraint ticket_texts_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
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
    WHEN ((deploy_failed_at IS NOT NULL) AND ((deployed_at IS NULL) OR (deploy_failed_at > deployed_at))) THEN
      'deploy_failed'::text
    WHEN (deployed_at IS NOT NULL) THEN 'deployed'::text
    WHEN (merge_sha IS NOT NULL) THEN 'merged'::text
    ELSE 'none'::text
END) stored,
  created_by uuid,
  created_with text not null,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  reopened boolean not null default false,
  pending_questions integer not null default 0,
  human_questions integer not null default 0,
  tasks_done integer not null default 0,
  tasks_total integer not null default 0,
  cases_approved integer not null default 0,
  cases_total integer not null default 0,
  agent_runs integer not null default 0,
  assignee_user_id uuid,
  labels uuid[],
  start_on date,
  due_on date,
  estimate numeric(7,2),
  milestone_id uuid,
  parent_id uuid,
  open_blockers integer not null default 0,
  children_open integer not null default 0,
  children_total integer not null default 0,
  column_id uuid,
  place text,
  rank text not null generated always as (COALESCE(place, ('R'::text || lpad(((999999999 - number))::text, 9,
    '0'::text)))) stored,
  constraint tickets_assignee_user_id_fkey FOREIGN KEY (assignee_user_id) REFERENCES users(id),
  constraint tickets_closed_at CHECK (((status = 'closed'::text) = (closed_at IS NOT NULL))),
  constraint tickets_column FOREIGN KEY (project_id, stage, column_id) REFERENCES board_columns(project_id,
    open_stage, id),
  constraint tickets_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint tickets_created_with_check CHECK ((created_with = ANY (ARRAY['session'::text, 'key'::text]))),
  constraint tickets_days CHECK ((start_on <= due_on)),
  constraint tickets_estimate_check CHECK (((estimate >= (0)::numeric) AND (estimate <= (10000)::numeric))),
  constraint tickets_labels_check CHECK ((labels <> '{}'::uuid[])),
  constraint tickets_live_is_closed CHECK (((stage = 'live'::text) = (status = 'closed'::text))),
  constraint tickets_milestone_id_fkey FOREIGN KEY (milestone_id) REFERENCES milestones(id),
  constraint tickets_number_key UNIQUE (project_id, number),
  constraint tickets_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES tickets(id),
  constraint tickets_parent_other CHECK ((parent_id <> id)),
  constraint tickets_pkey PRIMARY KEY (id),
  constraint tickets_priority_check CHECK ((priority = ANY (ARRAY['low'::text, 'medium'::text,
    'high'::text]))),
  constraint tickets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint tickets_request_type_check CHECK ((request_type = ANY (ARRAY['bug'::text,
    'clarification_needed'::text, 'decision_needed'::text, 'feature_request'::text]))),
  constraint tickets_resolution_type_check CHECK ((resolution_type = ANY (ARRAY['completed'::text,
    'already_done'::text, 'duplicate'::text, 'wont_fix'::text, 'no_longer_relevant'::text,
    'cancelled'::text]))),
  constraint tickets_stage_check CHECK ((stage = ANY (ARRAY['backlog'::text, 'up_next'::text,
    'in_progress'::text, 'validation'::text, 'live'::text]))),
  constraint tickets_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
);
CREATE INDEX tickets_assignee_idx ON public.tickets USING btree (assignee_user_id, project_id, created_at, id)
  WHERE (assignee_user_id IS NOT NULL);
CREATE INDEX tickets_author_idx ON public.tickets USING btree (project_id, created_by, created_at, id) WHERE
  (created_by IS NOT NULL);
CREATE INDEX tickets_blocked_idx ON public.tickets USING btree (project_id, created_at, id) WHERE
  (open_blockers > 0);
CREATE INDEX tickets_blocking_idx ON public.tickets USING btree (project_id, status, created_at, id) WHERE
  blocking;
CREATE INDEX tickets_closed_idx ON public.tickets USING btree (project_id, closed_at, id) WHERE (closed_at IS
  NOT NULL);
CREATE INDEX tickets_column_idx ON public.tickets USING btree (column_id) WHERE (column_id IS NOT NULL);
CREATE INDEX tickets_created_idx ON public.tickets USING btree (project_id, created_at, id);
CREATE INDEX tickets_due_idx ON public.tickets USING btree (project_id, due_on, id) WHERE (due_on IS NOT
  NULL);
CREATE INDEX tickets_estimate_idx ON public.tickets USING btree (project_id, estimate, id) WHERE (estimate IS
  NOT NULL);
CREATE INDEX tickets_labels_idx ON public.tickets USING gin (labels) WHERE (labels IS NOT NULL);
CREATE INDEX tickets_long_rank_idx ON public.tickets USING btree (project_id) WHERE (length(place) > 60);
CREATE INDEX tickets_merge_sha_idx ON public.tickets USING btree (merge_sha) WHERE ((merge_sha IS NOT NULL)
  AND ((status = 'open'::text) OR (deployed_at IS NULL)));
CREATE INDEX tickets_merged_idx ON public.tickets USING btree (id) WHERE ((status = 'open'::text) AND
  (merge_sha IS NOT NULL));
CREATE INDEX tickets_milestone_idx ON public.tickets USING btree (milestone_id, created_at, id) WHERE
  (milestone_id IS NOT NULL);
CREATE INDEX tickets_open_created_idx ON public.tickets USING btree (project_id, created_at, id) WHERE (status
  = 'open'::text);
CREATE INDEX tickets_open_priority_idx ON public.tickets USING btree (project_id, priority_rank, id) WHERE
  (status = 'open'::text);
CREATE INDEX tickets_open_rank_idx ON public.tickets USING btree (project_id, rank, id) WHERE (status =
  'open'::text);
CREATE INDEX tickets_open_updated_idx ON public.tickets USING btree (project_id, updated_at, id) WHERE (status
  = 'open'::text);
CREATE INDEX tickets_parent_idx ON public.tickets USING btree (parent_id, number) WHERE (parent_id IS NOT
  NULL);
CREATE INDEX tickets_priority_idx ON public.tickets USING btree (project_id, priority_rank, id);
CREATE INDEX tickets_rank_idx ON public.tickets USING btree (project_id, rank, id);
CREATE INDEX tickets_ship_idx ON public.tickets USING btree (project_id, ship_state, created_at, id) WHERE
  (ship_state = ANY (ARRAY['merged'::text, 'deploy_failed'::text]));
CREATE INDEX tickets_stage_idx ON public.tickets USING btree (project_id, stage, created_at, id);
CREATE INDEX tickets_updated_idx ON public.tickets USING btree (project_id, updated_at, id);
CREATE INDEX tickets_waiting_idx ON public.tickets USING btree (project_id, created_at, id) WHERE
  ((pending_questions > 0) OR ((stage = 'validation'::text) AND (cases_approved < cases_total)));
CREATE INDEX tickets_without_tasks_idx ON public.tickets USING btree (project_id, id) WHERE ((status =
  'open'::text) AND (tasks_total = 0) AND (stage = ANY (ARRAY['backlog'::text, 'up_next'::text,
  'in_progress'::text])));
CREATE TRIGGER tickets_text_insert AFTER INSERT ON public.tickets REFERENCING NEW TABLE AS inserted FOR EACH
  STATEMENT EXECUTE FUNCTION index_new_texts();
CREATE TRIGGER tickets_text_update AFTER UPDATE OF title, description ON public.tickets FOR EACH ROW WHEN
  (((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description))) EXECUTE
  FUNCTION index_changed_text();
call track_history('tickets', 'ticket', 'id',
  'id project_id priority_rank ship_state reopened pending_questions human_questions tasks_done tasks_total cases_approved cases_total agent_runs '
  'open_blockers children_open children_total place rank version created_at updated_at');

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
  updated_at timestamp(3) with time zone not null default now(),
  constraint users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint users_kind_check CHECK ((kind = ANY (ARRAY['human'::text, 'bot'::text]))),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_role_check CHECK ((role = ANY (ARRAY['member'::text, 'admin'::text, 'super_admin'::text])))
);
CREATE INDEX users_account_idx ON public.users USING btree (account_id, id);
CREATE UNIQUE INDEX users_email_key ON public.users USING btree (lower(email));

create table view_pins (
  user_id uuid not null,
  view_id uuid not null,
  place integer not null,
  constraint view_pins_pkey PRIMARY KEY (user_id, view_id),
  constraint view_pins_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint view_pins_view_id_fkey FOREIGN KEY (view_id) REFERENCES views(id) ON DELETE CASCADE
);
CREATE INDEX view_pins_view_idx ON public.view_pins USING btree (view_id);

create table views (
  id uuid not null,
  project_id uuid,
  owner_user_id uuid not null,
  shared boolean not null default false,
  name text not null,
  query text not null,
  layout text not null,
  group_by text not null,
  sort text not null,
  created_at timestamp(3) with time zone not null default now(),
  updated_at timestamp(3) with time zone not null default now(),
  constraint views_group_by_check CHECK ((group_by = ANY (ARRAY['stage'::text, 'column'::text,
    'assignee'::text, 'label'::text, 'priority'::text, 'milestone'::text, 'parent'::text, 'none'::text]))),
  constraint views_layout_check CHECK ((layout = ANY (ARRAY['board'::text, 'list'::text]))),
  constraint views_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(id),
  constraint views_pkey PRIMARY KEY (id),
  constraint views_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint views_shared_in_project CHECK (((NOT shared) OR (project_id IS NOT NULL)))
);
CREATE INDEX views_owner_idx ON public.views USING btree (owner_user_id, id);
CREATE INDEX views_shared_idx ON public.views USING btree (project_id, id) WHERE shared;

create table watchers (
  ticket_id uuid not null,
  user_id uuid not null,
  project_id uuid not null,
  reason text not null,
  muted boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  constraint watchers_pkey PRIMARY KEY (ticket_id, user_id),
  constraint watchers_reason_check CHECK ((reason = ANY (ARRAY['manual'::text, 'mention'::text,
    'comment'::text, 'duplicate'::text]))),
  constraint watchers_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id),
  constraint watchers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX watchers_user_idx ON public.watchers USING btree (user_id, project_id, ticket_id);

create view history_entries as
 SELECT ((h.id + COALESCE(c.place, (1)::bigint)) - 1) AS id,
    h.id AS history_id,
    h.project_id,
    h.ticket_id,
    h.entity,
    h.entity_id,
    h.action,
    c.field,
        CASE
            WHEN (c.field IS NULL) THEN h.from_value
            ELSE NULLIF((c.pair -> 0), 'null'::jsonb)
        END AS from_value,
        CASE
            WHEN (c.field IS NULL) THEN h.to_value
            ELSE NULLIF((c.pair -> 1), 'null'::jsonb)
        END AS to_value,
    h.actor,
    h.request_id,
    h.created_at
   FROM (history h
     LEFT JOIN LATERAL jsonb_each(h.changes) WITH ORDINALITY c(field, pair, place) ON (true));

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
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return case when actor ? 'tickets' then actor -> 'tickets' -> ticket else actor end;
end $function$
;

CREATE OR REPLACE FUNCTION public.claim_of(ticket uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return (
    select jsonb_build_object('id', u.id, 'name', u.name,
      'kind', case
        when u.kind = 'bot' then 'agent'
        when k.assignee_session_id is null then 'person'
        when k.assignee_session_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
          and exists (select from sessions s where s.id = k.assignee_session_id::uuid) then 'person'
        else 'agent' end,
      'lease_expires_at', to_char(k.lease_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from tasks k join users u on u.id = k.assignee_user_id
    where k.ticket_id = ticket and k.status = 'in_progress' order by k.started_at, k.id limit 1
  );
end $function$
;

CREATE OR REPLACE FUNCTION public.count_changed_case()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  was_approved constant boolean := old.status = 'approved';
  is_approved constant boolean := tg_op = 'UPDATE' and new.status = 'approved';
begin
  if tg_op = 'UPDATE' and was_approved = is_approved then return null; end if;
  update tickets set cases_approved = cases_approved + is_approved::integer - was_approved::integer,
    cases_total = cases_total - (tg_op = 'DELETE')::integer
  where id = old.ticket_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_changed_task()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  was_done constant boolean := old.status in ('done', 'skipped');
  is_done constant boolean := tg_op = 'UPDATE' and new.status in ('done', 'skipped');
begin
  if tg_op = 'UPDATE' and was_done = is_done then return null; end if;
  update tickets set tasks_done = tasks_done + is_done::integer - was_done::integer,
    tasks_total = tasks_total - (tg_op = 'DELETE')::integer
  where id = old.ticket_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_ended_questions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update tickets t set pending_questions = t.pending_questions - c.ended, human_questions = t.human_questions - c.human
  from (
    select n.ticket_id, count(*)::integer as ended, (count(*) filter (where n.resolver = 'human_only'))::integer as human
    from inserted n join deleted o on o.id = n.id where o.status = 'pending' and n.status <> 'pending' group by n.ticket_id
  ) c where t.id = c.ticket_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_new_cases()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update tickets t set cases_approved = t.cases_approved + n.approved, cases_total = t.cases_total + n.total
  from (
    select ticket_id, count(*)::integer as total, (count(*) filter (where status = 'approved'))::integer as approved
    from inserted group by ticket_id
  ) n where t.id = n.ticket_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_new_questions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- What is made with its ticket is counted by the ticket's own row.
  update tickets t set pending_questions = t.pending_questions + c.pending, human_questions = t.human_questions + c.human
  from (
    select ticket_id, count(*)::integer as pending, (count(*) filter (where resolver = 'human_only'))::integer as human
    from inserted where status = 'pending' and not made_with_ticket group by ticket_id
  ) c where t.id = c.ticket_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_new_run()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update tickets set agent_runs = agent_runs + 1 where id = new.ticket_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_new_tasks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update tickets t set tasks_done = t.tasks_done + n.done, tasks_total = t.tasks_total + n.total
  from (
    select ticket_id, count(*)::integer as total, (count(*) filter (where status in ('done', 'skipped')))::integer as done
    from inserted group by ticket_id
  ) n where t.id = n.ticket_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.give_task_number()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into task_numbers as n (ticket_id, last) values (new.ticket_id, coalesce(new.number, 1))
  on conflict (ticket_id) do update set last = case when new.number is null then n.last + 1 else greatest(n.last, new.number) end
  returning coalesce(new.number, n.last) into new.number;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.has_symbols(text text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select text ~ '[\u00BC-\u00BE\u20A8\u2100-\u2101\u2103\u2105-\u2106\u2109\u2116\u2120-\u2122\u213B\u2150-\u217F\u2189'
    '\u2460-\u24EA\u2E9F\u2EF3-\u2FD5\u3038-\u303A\u3192-\u319F\u3200-\u3247\u3250-\u327E\u3280-\u33FF\uFDFC'
    '\U0001CCD6-\U0001CCEF\U0001F100-\U0001F10A\U0001F110-\U0001F12E\U0001F130-\U0001F14F\U0001F16A-\U0001F16C'
    '\U0001F190\U0001F200-\U0001F251]'
$function$
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

CREATE OR REPLACE FUNCTION public.indexed_words(text text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  if text !~ '[^\u0001-\u007F\u00A0-\u00A7\u00A9\u00AB\u00AC\u00AE\u00B0\u00B1\u00B6\u00B7\u00BB\u00BF-\u012F\u0134-\u013E'
    '\u0141-\u0148\u014A-\u017E\u0391-\u03A9\u03AC-\u03C1\u03C3-\u03CE\u0400-\u045F\u2010-\u2016\u2018-\u2027\u2039\u203A'
    '\u20AC\u2190-\u2193]' then
    return to_tsvector('word_stems', replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      text, '.', ' '), '/', ' '), '<', ' '), '_', ' '), '@', ' '), '~', ' '), '-', ' '), '&', ' '), '+', ' '), 'ß', 'ss'));
  end if;
  -- The parser leaves out words that are too long for an index, too.
  return (
    select string_agg('''' || word_lexeme(word) || ''':' || place, ' ')
    from string_to_table(words_of(readings_of(text)), ' ') with ordinality as words (word, place)
    where octet_length(word) between 1 and 2046
  )::tsvector;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_embedding_bits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' then
    delete from ticket_embedding_bits where ticket_id = old.ticket_id;
  end if;
  if tg_op <> 'DELETE' and new.open then
    insert into ticket_embedding_bits (ticket_id, project_id, bits)
    values (new.ticket_id, new.project_id, binary_quantize(new.embedding)::bit(384));
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_project_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from project_keys
      where account_id = new.account_id and key = new.key and project_id = new.id) then
    insert into project_keys (account_id, key, project_id) values (new.account_id, new.key, new.id);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.keeps_vector_graph()
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return pg_catalog.version() not like '%emscripten%';
end $function$
;

CREATE OR REPLACE FUNCTION public.last_sign(run agent_runs)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select greatest(run.updated_at, (select max(greatest(k.updated_at, k.lease_expires_at - interval '15 minutes')) from tasks k
    where k.ticket_id = run.ticket_id and (k.id = any (run.task_ids) or k.assignee_session_id = run.agent_id)))
$function$
;

CREATE OR REPLACE FUNCTION public.latest_run_of(ticket uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return (
    select jsonb_build_object('id', r.id, 'agent_id', r.agent_id, 'status', r.status)
    from agent_runs r where r.ticket_id = ticket order by r.id desc limit 1
  );
end $function$
;

CREATE OR REPLACE FUNCTION public.number_events(OUT last_seq bigint, OUT numbered integer, OUT outbox_bytes bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  numbered := 0;
  if exists (select from event_outbox) then
    perform pg_advisory_xact_lock(hashtextextended('number_events', 0));
    with moved as (
      delete from event_outbox
      where ctid = any (array(select o.ctid from event_outbox o order by o.history_id limit 5000))
      returning *
    )
    insert into events (seq, history_id, project_id, ticket_version, title, stage, status, imported)
    select c.last_seq + row_number() over (order by m.history_id), m.history_id, m.project_id, m.ticket_version, m.title,
      m.stage, m.status, m.imported
    from moved m, event_counter c;
    get diagnostics numbered = row_count;
    if numbered > 0 then
      update event_counter c set last_seq = c.last_seq + numbered;
    end if;
  end if;
  select c.last_seq into last_seq from event_counter c;
  outbox_bytes := pg_relation_size('event_outbox');
end $function$
;

CREATE OR REPLACE FUNCTION public.phrase_of(text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  words text[] := string_to_array(words_of(text), ' ');
  word text;
  phrase text;
begin
  foreach word in array words loop
    phrase := concat(phrase || ' <-> ', case
      when word ~ '^[0-9]+$' then format('(''%s'' | ''v%1$s'')', word)
      when word ~ '^v[0-9]+$' and cardinality(words) > 1 then format('(''%s'' | ''%s'')', word, substr(word, 2))
      else format('''%s''', word_lexeme(word)) end);
  end loop;
  return coalesce('(' || phrase || ')', '#');
end $function$
;

CREATE OR REPLACE FUNCTION public.precedes(earlier timestamp with time zone, later timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select earlier <= later + interval '5 minutes'
$function$
;

CREATE OR REPLACE FUNCTION public.project_role(user_role text, user_account uuid, project_account uuid,
  member_role text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((user_role = 'super_admin'::text) OR ((user_role = 'admin'::text) AND (user_account =
  project_account))) THEN 'admin'::text ELSE member_role END
;

CREATE OR REPLACE FUNCTION public.queue_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  insert into event_outbox (history_id, project_id, ticket_version, title, stage, status)
  select i.id, i.project_id, t.version, t.title, t.stage, t.status
  from inserted i left join tickets t on t.id = i.ticket_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.readings_of(text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  unseen constant text := '[\u00AD\u061C\u180E\u200C-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]+';
  symbols constant text := '[\u20A8\u2100-\u218F\u2460-\u24FF\u2600-\u27BF\u3200-\u33FF\uFDFC\U0001F000-\U0001FBFF]+';
  usual text;
begin
  if has_symbols(text) then usual := normalize(text, nfkc); end if;
  if text ~ unseen then text := text || E'\n' || regexp_replace(text, unseen, ' ', 'g'); end if;
  if text ~ symbols then text := text || E'\n' || regexp_replace(text, symbols, ' ', 'g'); end if;
  return concat_ws(E'\n', text, usual);
end $function$
;

CREATE OR REPLACE FUNCTION public.role_of_user(of_user uuid, in_project uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select project_role(u.role, u.account_id, p.account_id, m.role)
  from projects p join users u on u.id = of_user
    left join project_members m on m.project_id = p.id and m.user_id = u.id
  where p.id = in_project and u.deactivated_at is null
$function$
;

CREATE OR REPLACE FUNCTION public.search_query(text text)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  parts text[] := string_to_array(text, '''');
begin
  for place in 2 .. cardinality(parts) by 2 loop
    parts[place] := phrase_of(parts[place]);
  end loop;
  return array_to_string(parts, '')::tsquery;
end $function$
;

CREATE OR REPLACE FUNCTION public.similar_tickets(in_project uuid, query vector, threshold double precision, max_rows integer)
 RETURNS TABLE(ticket_id uuid, similarity double precision)
 LANGUAGE plpgsql
 STABLE
 SET "hnsw.ef_search" TO '160'
 SET "hnsw.iterative_scan" TO 'strict_order'
AS $function$
declare
  query_bits bit(384) := binary_quantize(query);
begin
  if keeps_vector_graph() then
    return query execute $query$
      select n.ticket_id, n.similarity from (
        select e.ticket_id, 1 - (e.embedding <=> $2) as similarity
        from ticket_embeddings e
        where e.project_id = $1 and e.open
        order by e.embedding <=> $2
        limit $4
      ) n where n.similarity >= $3
    $query$ using in_project, query, threshold, max_rows;
  else
    return query
      with candidate as (
        select b.ticket_id from ticket_embedding_bits b
        where b.project_id = in_project
        order by b.bits <~> query_bits
        limit 200
      ), near as (
        select e.ticket_id, 1 - (e.embedding <=> query) as similarity
        from candidate c join ticket_embeddings e on e.ticket_id = c.ticket_id
        order by e.embedding <=> query
        limit max_rows
      )
      select n.ticket_id, n.similarity from near n where n.similarity >= threshold;
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.ticket_document(title text, description text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE(indexed_words(((title || '
'::text) || description)), ''::tsvector)
;

CREATE OR REPLACE PROCEDURE public.track_history(IN of_table text, IN entity text, IN id_column text, IN untracked text)
 LANGUAGE plpgsql
AS $procedure$
declare
  ticket_column text := case when entity = 'ticket' then 'id' else 'ticket_id' end;
  trigger_function text := 'record_history_of_' || of_table;
  omits_nulls boolean := current_setting('server_version_num')::integer >= 160000;
  separator text := case when omits_nulls then ': ' else ', ' end;
  object text := case when omits_nulls then 'json_object(%s absent on null returning jsonb)'
    else 'without_nulls(jsonb_build_object(%s))' end;
  facts text;
  changes text;
  event text;
begin
  select string_agg(format('%1$L%2$sr.%1$I', attname, separator), ', ' order by attnum),
    string_agg(format('%1$L%2$scase when o.%1$I is distinct from n.%1$I then jsonb_build_array(o.%1$I, n.%1$I) end',
      attname, separator), ', ' order by attnum)
  into strict facts, changes
  from pg_attribute
  where attrelid = of_table::regclass and attnum > 0 and not attisdropped and attname <> all (string_to_array(untracked, ' '));
  execute format($function$
    create or replace function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        insert into history (project_id, ticket_id, entity, entity_id, action, to_value, actor, request_id)
        select r.project_id, r.%2$I, %3$L, r.%4$I::text, 'created', %5$s,
          w.who - 'request_id', w.who ->> 'request_id'
        from inserted r cross join lateral (select acting_on((select acting()), r.%2$I::text) as who offset 0) w;
      elsif tg_op = 'DELETE' then
        insert into history (project_id, ticket_id, entity, entity_id, action, from_value, actor, request_id)
        select r.project_id, r.%2$I, %3$L, r.%4$I::text, 'deleted', %5$s,
          (select acting() - 'request_id'), (select acting() ->> 'request_id')
        from deleted r;
      else
        insert into history (project_id, ticket_id, entity, entity_id, action, changes, actor, request_id)
        select n.project_id, n.%2$I, %3$L, n.%4$I::text, 'changed', c.changes,
          (select acting() - 'request_id'), (select acting() ->> 'request_id')
        from inserted n full join deleted o on o.%2$I = n.%2$I and o.%4$I = n.%4$I
        cross join lateral (select %6$s as changes offset 0) c
        where c.changes <> '{}';
      end if;
      return null;
    end $body$ $function$, trigger_function, ticket_column, entity, id_column, format(object, facts), format(object, changes));
  -- db/schema.sql shows this call in place of the generated function.
  execute format('comment on function %I() is %L', trigger_function,
    format('call track_history(%L, %L, %L, %L);', of_table, entity, id_column, untracked));
  foreach event in array array['insert', 'update', 'delete'] loop
    execute format('create or replace trigger %I after %s on %I referencing %s for each statement execute function %I()',
      of_table || '_history_' || event, event, of_table, case event when 'insert' then 'new table as inserted'
        when 'delete' then 'old table as deleted' else 'old table as deleted new table as inserted' end, trigger_function);
  end loop;
end $procedure$
;

CREATE OR REPLACE FUNCTION public.unpacked_bytes(value jsonb)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE(pg_column_size((value #> '{}'::text[])), 0)
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

CREATE OR REPLACE FUNCTION public.word_lexeme(word text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (length(word) = 1) THEN word ELSE (ts_lexize('word_stem'::regdictionary, word))[1] END
;

CREATE OR REPLACE FUNCTION public.words_of(text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  ignored constant text := ''
    '\u00AD\u034F\u061C\u115F-\u1160\u17B4-\u17B5\u180B-\u180F\u200C-\u200F\u202A-\u202E'
    '\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3'
    '\U0001D173-\U0001D17A\U000E0000-\U000E0FFF';
  symbols constant text := ''
    '\u00BC-\u00BE\u20A8\u2100-\u2101\u2103\u2105-\u2106\u2109\u2116\u2120-\u2122\u213B'
    '\u2150-\u217F\u2189\u2460-\u24EA\u2E9F\u2EF3-\u2FD5\u3038-\u303A\u3192-\u319F\u3200-\u3247'
    '\u3250-\u327E\u3280-\u33FF\uFDFC\U0001CCD6-\U0001CCEF\U0001F100-\U0001F10A'
    '\U0001F110-\U0001F12E\U0001F130-\U0001F14F\U0001F16A-\U0001F16C\U0001F190'
    '\U0001F200-\U0001F251';
  emoji constant text := '\u2600-\u27BF\U0001F000-\U0001FBFF';
  separators constant text := ''
    '\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00AC\u00AE-\u00B1\u00B4'
    '\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED'
    '\u02EF-\u02FF\u0375\u037E\u0384-\u0385\u0387\u03F6\u0482\u055A-\u055F\u0589-\u058F\u05BE'
    '\u05C0\u05C3\u05C6\u05F3-\u060F\u061B\u061D-\u061F\u066A-\u066D\u06D4\u06DD-\u06DE\u06E9'
    '\u06FD-\u06FE\u0700-\u070F\u07F6-\u07F9\u07FE-\u07FF\u0830-\u083E\u085E\u0888\u0890-\u0891'
    '\u08E2\u0964-\u0965\u0970\u09F2-\u09F3\u09FA-\u09FB\u09FD\u0A76\u0AF0-\u0AF1\u0B70'
    '\u0BF3-\u0BFA\u0C77\u0C7F\u0C84\u0D4F\u0D79\u0DF4\u0E3F\u0E4F\u0E5A-\u0E80\u0EE0-\u0EFF'
    '\u0F01-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0F3A-\u0F3D\u0F85\u0FBE-\u0FC5\u0FC7-\u0FFF'
    '\u104A-\u104F\u109E-\u109F\u10FB\u1360-\u1368\u1390-\u1399\u1400\u166D-\u166E\u1680'
    '\u169B-\u169C\u16EB-\u16ED\u1735-\u1736\u17D4-\u17D6\u17D8-\u17DB\u1800-\u180A\u1940-\u1945'
    '\u19DE-\u19FF\u1A1E-\u1A1F\u1AA0-\u1AA6\u1AA8-\u1AAD\u1ACF-\u1AFF\u1B4E-\u1B4F\u1B5A-\u1B6A'
    '\u1B74-\u1B7F\u1BFC-\u1BFF\u1C3B-\u1C3F\u1C7E-\u1C7F\u1CC0-\u1CC7\u1CD3\u1FBD\u1FBF-\u1FC1'
    '\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF\u1FFD-\u200B\u2010-\u2029\u202F-\u205F\u207A-\u207E'
    '\u208A-\u208E\u20A0-\u20A7\u20A9-\u20F0\u2104\u2108\u2114\u2117-\u2118\u211E-\u211F\u2123'
    '\u2125\u2127\u2129\u212E\u213A\u2140-\u2144\u214A-\u214D\u214F\u218A-\u245F\u2500-\u25FF'
    '\u2768-\u2775\u27C0-\u2BFF\u2CE5-\u2CEA\u2CF9-\u2CFC\u2CFE-\u2CFF\u2D70\u2E00-\u2E2E'
    '\u2E30-\u2E9E\u2EA0-\u2EF2\u2FD6-\u3004\u3008-\u3020\u3030\u3036-\u3037\u303D-\u303F'
    '\u309B-\u309C\u30A0\u30FB\u3190-\u3191\u31C0-\u31EF\u327F\u4DC0-\u4DFF\uA490-\uA4C6'
    '\uA4FE-\uA4FF\uA60D-\uA60F\uA62C-\uA63F\uA673\uA67E\uA6F2-\uA716\uA720-\uA721\uA789-\uA78A'
    '\uA7DD-\uA7F1\uA828-\uA82B\uA836-\uA839\uA874-\uA877\uA8CE-\uA8CF\uA8F8-\uA8FA\uA8FC'
    '\uA92E-\uA92F\uA95F\uA9C1-\uA9CD\uA9DE-\uA9DF\uAA5C-\uAA5F\uAA77-\uAA79\uAAC3-\uAADA'
    '\uAADE-\uAADF\uAAF0-\uAAF1\uAB5B\uAB6A-\uAB6B\uABEB\uE000-\uF8FF\uFADA-\uFAFF\uFB29'
    '\uFBB2-\uFBD2\uFD3E-\uFD4F\uFDCF-\uFDEF\uFDFD-\uFDFF\uFE10-\uFE19\uFE30-\uFE6B\uFF01-\uFF0F'
    '\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFD\U0001005E-\U0001007F'
    '\U00010100-\U00010102\U00010137-\U0001013F\U00010179-\U00010189\U0001018C-\U000101FC'
    '\U000101FE-\U0001027F\U0001039F\U000103D0\U000103D6-\U000103FF\U0001056F'
    '\U00010768-\U0001077F\U000107BB-\U000107FF\U00010857\U00010877-\U00010878'
    '\U000108B0-\U000108DF\U0001091F\U0001093F-\U0001097F\U00010A50-\U00010A58\U00010A7F'
    '\U00010AA0-\U00010ABF\U00010AC8\U00010AF0-\U00010AF6\U00010B39-\U00010B3F'
    '\U00010B99-\U00010B9C\U00010BB0-\U00010BFF\U00010C49-\U00010C7F\U00010D6E'
    '\U00010D8E-\U00010E5F\U00010EAD\U00010EB2-\U00010EC1\U00010EC5-\U00010EFB'
    '\U00010F55-\U00010F6F\U00010F86-\U00010FAF\U00010FCC-\U00010FDF\U00011047-\U0001104D'
    '\U000110BB-\U000110C1\U000110CD\U00011140-\U00011143\U00011174-\U00011175'
    '\U000111C5-\U000111C8\U000111CD\U000111DB\U000111DD-\U000111DF\U00011238-\U0001123D'
    '\U00011242-\U0001127F\U000112A9\U000113D4-\U000113D8\U000113E3-\U000113FF'
    '\U0001144B-\U0001144F\U0001145A-\U0001145D\U00011462-\U0001147F\U000114C6'
    '\U000114DA-\U0001157F\U000115C1-\U000115D7\U000115DE-\U000115FF\U00011641-\U00011643'
    '\U00011660-\U0001167F\U000116B9\U000116E4-\U000116FF\U0001173C-\U0001173F'
    '\U00011747-\U000117FF\U0001183B-\U0001189F\U00011944-\U00011946\U0001195A-\U0001199F'
    '\U000119E2\U000119E5-\U000119FF\U00011A3F-\U00011A46\U00011A9A-\U00011A9C'
    '\U00011A9E-\U00011AA2\U00011B00-\U00011BBF\U00011BE1\U00011C41-\U00011C45'
    '\U00011C70-\U00011C71\U00011CB7-\U00011CFF\U00011DAA-\U00011EDF\U00011EF7-\U00011EF8'
    '\U00011F43-\U00011F4F\U00011F5B-\U00011FAF\U00011FD5-\U00011FFF\U0001239A-\U000123FF'
    '\U00012470-\U00012474\U00012544-\U00012F8F\U00012FF1-\U00012FF2\U00013430-\U0001343F'
    '\U00014647-\U000160FF\U0001613A-\U000167FF\U00016A6E-\U00016A6F\U00016AF5'
    '\U00016B37-\U00016B3F\U00016B44-\U00016B45\U00016B90-\U00016D3F\U00016D6D-\U00016D6F'
    '\U00016D7A-\U00016E3F\U00016E97-\U00016EFF\U00016FA0-\U00016FDF\U00016FE2'
    '\U00018CD6-\U00018CFE\U00018D09-\U0001AFEF\U0001B133-\U0001B14F\U0001B2FC-\U0001BBFF'
    '\U0001BC9C\U0001BC9F\U0001BCA4-\U0001CCD5\U0001CD00-\U0001CEFF\U0001CF50-\U0001D164'
    '\U0001D16A-\U0001D16C\U0001D183-\U0001D184\U0001D18C-\U0001D1A9\U0001D1AE-\U0001D241'
    '\U0001D245-\U0001D2BF\U0001D300-\U0001D356\U0001D379-\U0001D3FF\U0001D6C1\U0001D6DB'
    '\U0001D6FB\U0001D715\U0001D735\U0001D74F\U0001D76F\U0001D789\U0001D7A9\U0001D7C3'
    '\U0001D800-\U0001D9FF\U0001DA37-\U0001DA3A\U0001DA6D-\U0001DA74\U0001DA76-\U0001DA83'
    '\U0001DA85-\U0001DA8B\U0001DAB0-\U0001DEFF\U0001DF2B-\U0001DFFF\U0001E06E-\U0001E08E'
    '\U0001E090-\U0001E0FF\U0001E14F-\U0001E28F\U0001E2AF-\U0001E2BF\U0001E2FF-\U0001E4CF'
    '\U0001E4FA-\U0001E5CF\U0001E5FF-\U0001E7DF\U0001E8D7-\U0001E8FF\U0001E95E-\U0001EC70'
    '\U0001ECAC\U0001ECB0\U0001ECB5-\U0001ED00\U0001ED2E\U0001ED3E-\U0001EDFF'
    '\U0001EEBC-\U0001EFFF\U0001FC00-\U0001FFFF\U0003FFFE-\U000DFFFF\U000E1000-\U0010FFFF';
  marks constant text := ''
    '\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0610-\u061A'
    '\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7-\u06E8\u06EA-\u06ED\u0711\u0730-\u074A'
    '\u07A6-\u07B0\u07EB-\u07F3\u07FD\u0816-\u0819\u081B-\u0823\u0825-\u0827\u0829-\u082D'
    '\u0859-\u085B\u0897-\u089F\u08CA-\u08E1\u08E3-\u0903\u093A-\u093C\u093E-\u094F\u0951-\u0957'
    '\u0962-\u0963\u0981-\u0983\u09BC\u09BE-\u09CD\u09D7\u09E2-\u09E3\u09FE-\u0A03\u0A3C-\u0A51'
    '\u0A70-\u0A71\u0A75\u0A81-\u0A83\u0ABC\u0ABE-\u0ACD\u0AE2-\u0AE3\u0AFA-\u0B03\u0B3C'
    '\u0B3E-\u0B57\u0B62-\u0B63\u0B82\u0BBE-\u0BCD\u0BD7\u0C00-\u0C04\u0C3C\u0C3E-\u0C56'
    '\u0C62-\u0C63\u0C81-\u0C83\u0CBC\u0CBE-\u0CD6\u0CE2-\u0CE3\u0CF3-\u0D03\u0D3B-\u0D3C'
    '\u0D3E-\u0D4D\u0D57\u0D62-\u0D63\u0D81-\u0D83\u0DCA-\u0DDF\u0DF2-\u0DF3\u0E31\u0E34-\u0E3A'
    '\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE\u0F18-\u0F19\u0F35\u0F37\u0F39\u0F3E-\u0F3F'
    '\u0F71-\u0F84\u0F86-\u0F87\u0F8D-\u0FBC\u0FC6\u102B-\u103E\u1056-\u1059\u105E-\u1060'
    '\u1062-\u1064\u1067-\u106D\u1071-\u1074\u1082-\u108D\u108F\u109A-\u109D\u135D-\u135F'
    '\u1712-\u1715\u1732-\u1734\u1752-\u1753\u1772-\u1773\u17B6-\u17D3\u17DD\u1885-\u1886\u18A9'
    '\u1920-\u193B\u1A17-\u1A1B\u1A55-\u1A7F\u1AB0-\u1B04\u1B34-\u1B44\u1B6B-\u1B73\u1B80-\u1B82'
    '\u1BA1-\u1BAD\u1BE6-\u1BF3\u1C24-\u1C37\u1CD0-\u1CD2\u1CD4-\u1CE8\u1CED\u1CF4\u1CF7-\u1CF9'
    '\u1DC0-\u1DFF\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF\u302A-\u302F\u3099-\u309A\uA66F-\uA672'
    '\uA674-\uA67D\uA69E-\uA69F\uA6F0-\uA6F1\uA802\uA806\uA80B\uA823-\uA827\uA82C\uA880-\uA881'
    '\uA8B4-\uA8C5\uA8E0-\uA8F1\uA8FF\uA926-\uA92D\uA947-\uA953\uA980-\uA983\uA9B3-\uA9C0\uA9E5'
    '\uAA29-\uAA36\uAA43\uAA4C-\uAA4D\uAA7B-\uAA7D\uAAB0\uAAB2-\uAAB4\uAAB7-\uAAB8\uAABE-\uAABF'
    '\uAAC1\uAAEB-\uAAEF\uAAF5-\uAAF6\uABE3-\uABEA\uABEC-\uABED\uFB1E\uFE20-\uFE2F\U000101FD'
    '\U000102E0\U00010376-\U0001037A\U00010A01-\U00010A0F\U00010A38-\U00010A3F'
    '\U00010AE5-\U00010AE6\U00010D24-\U00010D27\U00010D69-\U00010D6D\U00010EAB-\U00010EAC'
    '\U00010EFC-\U00010EFF\U00010F46-\U00010F50\U00010F82-\U00010F85\U00011000-\U00011002'
    '\U00011038-\U00011046\U00011070\U00011073-\U00011074\U0001107F-\U00011082'
    '\U000110B0-\U000110BA\U000110C2\U00011100-\U00011102\U00011127-\U00011134'
    '\U00011145-\U00011146\U00011173\U00011180-\U00011182\U000111B3-\U000111C0'
    '\U000111C9-\U000111CC\U000111CE-\U000111CF\U0001122C-\U00011237\U0001123E\U00011241'
    '\U000112DF-\U000112EA\U00011300-\U00011303\U0001133B-\U0001133C\U0001133E-\U0001134D'
    '\U00011357\U00011362-\U00011374\U000113B8-\U000113D0\U000113D2\U000113E1-\U000113E2'
    '\U00011435-\U00011446\U0001145E\U000114B0-\U000114C3\U000115AF-\U000115C0'
    '\U000115DC-\U000115DD\U00011630-\U00011640\U000116AB-\U000116B7\U0001171D-\U0001172B'
    '\U0001182C-\U0001183A\U00011930-\U0001193E\U00011940\U00011942-\U00011943'
    '\U000119D1-\U000119E0\U000119E4\U00011A01-\U00011A0A\U00011A33-\U00011A39'
    '\U00011A3B-\U00011A3E\U00011A47\U00011A51-\U00011A5B\U00011A8A-\U00011A99'
    '\U00011C2F-\U00011C3F\U00011C92-\U00011CB6\U00011D31-\U00011D45\U00011D47'
    '\U00011D8A-\U00011D97\U00011EF3-\U00011EF6\U00011F00-\U00011F01\U00011F03'
    '\U00011F34-\U00011F42\U00011F5A\U00013440\U00013447-\U00013455\U0001611E-\U0001612F'
    '\U00016AF0-\U00016AF4\U00016B30-\U00016B36\U00016F4F\U00016F51-\U00016F92'
    '\U00016FE4-\U00016FF1\U0001BC9D-\U0001BC9E\U0001CF00-\U0001CF46\U0001D165-\U0001D169'
    '\U0001D16D-\U0001D182\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD\U0001D242-\U0001D244'
    '\U0001DA00-\U0001DA36\U0001DA3B-\U0001DA6C\U0001DA75\U0001DA84\U0001DA9B-\U0001DAAF'
    '\U0001E000-\U0001E02A\U0001E08F\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF'
    '\U0001E4EC-\U0001E4EF\U0001E5EE-\U0001E5EF\U0001E8D0-\U0001E8D6\U0001E944-\U0001E94A';
  unspaced constant text := '\u0E00-\u0EFF\u1000-\u109F\u1100-\u11FF\u1780-\u17FF\u1950-\u19FF\u1A20-\u1AAF'
    '\u2E80-\u2FDF\u3005-\u3007\u3021-\u302F\u3031-\uA4CF\uA960-\uA97F\uA980-\uA9FF\uAA60-\uAADF\uAC00-\uD7FF'
    '\uF900-\uFAFF\U00016FE0-\U0001B2FF\U00020000-\U0003FFFF';
begin
  text := regexp_replace(text, '[' || ignored || ']+', '', 'g');
  text := regexp_replace(text, '([' || symbols || emoji || '])', ' \1 ', 'g');
  text := translate(normalize(text, nfkc), 'İı', 'ii');
  text := replace(normalize(lower(text), nfkc), U&'i\0307', 'i');
  text := replace(replace(text, 'ß', 'ss'), 'ς', 'σ');
  text := regexp_replace(text, '[' || separators || ']+', ' ', 'g');
  -- A mark belongs to the letter before it. NFKC makes marks without a letter of ´ and ¨.
  text := regexp_replace(text, '(^| )([' || marks || ']+ ?)+', ' ', 'g');
  text := regexp_replace(text, '([' || unspaced || '])', ' \1 ', 'g');
  text := replace(replace(text, '  ', ' '), '  ', ' ');
  return btrim(regexp_replace(text, '(^| )([0-9]+e[0-9]+)(?=[^ 0-9])', '\1\2 ', 'g'));
end $function$
;
