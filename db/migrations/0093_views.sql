-- Saved views: the text of a search with a layout. Without a project, a view is of all projects that its owner sees, and
-- nobody else reads it.
create table views (
  id uuid primary key,
  project_id uuid references projects (id),
  owner_user_id uuid not null references users (id),
  shared boolean not null default false,
  name text not null,
  query text not null,
  layout text not null check (layout in ('board', 'list')),
  group_by text not null check (group_by in ('stage', 'column', 'assignee', 'label', 'priority', 'milestone', 'parent', 'none')),
  sort text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint views_shared_in_project check (not shared or project_id is not null)
);
create index views_owner_idx on views (owner_user_id, id);
create index views_shared_idx on views (project_id, id) where shared;

-- The views in the sidebar of each person, in that person's order.
create table view_pins (
  user_id uuid not null references users (id),
  view_id uuid not null references views (id) on delete cascade,
  place integer not null,
  primary key (user_id, view_id)
);
create index view_pins_view_idx on view_pins (view_id);
