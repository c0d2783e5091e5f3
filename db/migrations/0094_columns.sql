-- The columns of a project's stages, and the order of its tickets by hand.

-- A deleted column stays, because the history of tickets names it. It has no `open_stage`, so no ticket can be in it.
create table board_columns (
  id uuid primary key,
  project_id uuid not null references projects (id),
  stage text not null check (stage in ('backlog', 'up_next', 'in_progress', 'validation')),
  name text not null,
  name_key text not null, -- the form of the name that is compared
  wip_limit integer check (wip_limit between 1 and 999),
  position integer not null, -- among the columns of the stage
  deleted_at timestamptz(3),
  open_stage text generated always as (case when deleted_at is null then stage end) stored,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint board_columns_open unique (project_id, open_stage, id)
);
create unique index board_columns_name_key on board_columns (project_id, stage, name_key) where deleted_at is null;

-- A ticket's column is of its project and stage. A ticket that names none is in the oldest column of its stage, so the first
-- column of a stage changes no ticket.
--
-- `place` is the key that a person's placement gave the ticket. Until then, its number makes the key, and the newest ticket
-- comes first. These keys have the form of the keys of the package fractional-indexing: R, and nine digits.
alter table tickets add column_id uuid, add place text collate "C",
  add rank text collate "C" not null generated always as (coalesce(place, 'R' || lpad((999999999 - number)::text, 9, '0'))) stored,
  add constraint tickets_column foreign key (project_id, stage, column_id) references board_columns (project_id, open_stage, id);
create index tickets_column_idx on tickets (column_id) where column_id is not null;
create index tickets_rank_idx on tickets (project_id, rank, id);
create index tickets_open_rank_idx on tickets (project_id, rank, id) where status = 'open';
create index tickets_long_rank_idx on tickets (project_id) where length(place) > 60;

call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened pending_questions human_questions '
  'tasks_done tasks_total cases_approved cases_total agent_runs open_blockers children_open children_total place rank version '
  'created_at updated_at');
