-- When a stored answer to a creation was made, so that an installation may forget the old ones. Earlier
-- answers count from now.
alter table ticket_creations add created_at timestamptz(3) not null default now();
alter table part_creations add created_at timestamptz(3) not null default now();
