-- Webhooks that go out: who gets which events, and what became of each.
create table outbound_endpoints (
  id uuid primary key,
  project_id uuid not null references projects,
  url text not null,
  description text,
  types text[], -- null: all
  format text not null default 'standard' check (format in ('standard', 'slack')),
  "full" boolean not null default false,
  enabled boolean not null default true,
  disabled_reason text,
  secret text not null, -- sealed
  former_secret text, -- sealed; signs too until former_secret_until
  former_secret_until timestamptz,
  since_seq bigint not null, -- events after this one
  failing_since timestamptz(3),
  paused_until timestamptz(3), -- after a try without any answer
  created_by uuid not null references users,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index outbound_endpoints_project_idx on outbound_endpoints (project_id, id);

create table outbound_deliveries (
  id uuid primary key,
  endpoint_id uuid not null references outbound_endpoints on delete cascade,
  project_id uuid not null references projects,
  seq bigint, -- null: a test
  type text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) default now(), -- null: none
  answer_status integer,
  answer text,
  error text,
  created_at timestamptz(3) not null default now(),
  delivered_at timestamptz(3),
  unique (endpoint_id, seq)
);
create index outbound_deliveries_list_idx on outbound_deliveries (endpoint_id, id desc);
create index outbound_deliveries_due_idx on outbound_deliveries (endpoint_id, next_attempt_at) where status = 'pending';
create index outbound_deliveries_age_idx on outbound_deliveries (created_at);

-- Up to which event deliveries were made.
create table outbound_cursor (seq bigint not null);
insert into outbound_cursor select last_seq from event_counter;
