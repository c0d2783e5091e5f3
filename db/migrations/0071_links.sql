-- Links between tickets that count: blockers and related tickets. The mark of a duplicate has its own table. A link is
-- stored once. Of two related tickets, the one with the lower id comes first. `ref` names the other ticket if it is of
-- the same project, because readers of the history may not see another one.
create table ticket_links (
  id uuid primary key,
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  kind text not null check (kind in ('blocked_by', 'relates')),
  other_id uuid not null references tickets (id),
  other_project_id uuid not null,
  ref text,
  created_at timestamptz(3) not null default now(),
  constraint ticket_links_other check (ticket_id <> other_id),
  constraint ticket_links_order check (kind <> 'relates' or ticket_id < other_id),
  constraint ticket_links_key unique (ticket_id, kind, other_id)
);
create index ticket_links_other_idx on ticket_links (other_id, kind);
call track_history('ticket_links', 'link', 'id', 'ticket_id project_id other_id other_project_id created_at');

-- A duplicate may be of a ticket of another project, so its history names the other ticket as that of a link does.
alter table ticket_duplicates add id uuid not null default gen_random_uuid(), add ref text;
create unique index ticket_duplicates_id on ticket_duplicates (id);
call track_history('ticket_duplicates', 'duplicate', 'id', 'ticket_id project_id duplicate_of created_at');

-- Counts for lists and claims, which tickets/recount.ts keeps: open tickets that block this one, and children.
alter table tickets add parent_id uuid references tickets (id), add open_blockers integer not null default 0,
  add children_open integer not null default 0, add children_total integer not null default 0,
  add constraint tickets_parent_other check (parent_id <> id);
create index tickets_parent_idx on tickets (parent_id, number) where parent_id is not null;
create index tickets_blocked_idx on tickets (project_id, created_at, id) where open_blockers > 0;

call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened pending_questions human_questions '
  'tasks_done tasks_total cases_approved cases_total agent_runs open_blockers children_open children_total version created_at updated_at');

alter table watchers drop constraint watchers_reason_check,
  add constraint watchers_reason_check check (reason in ('manual', 'mention', 'comment', 'duplicate'));
