-- Who closes a project's tickets. With 'people' a bot client brings a ticket to validation at most.
alter table projects add column closing text not null default 'anyone' check (closing in ('anyone', 'people'));
