-- What people and agents say on a ticket. A thread is a comment and the replies that name it. A deleted comment stays as a
-- row without its text, so that its replies keep their place.
create table comments (
  id uuid primary key,
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  parent_id uuid references comments (id),
  body text,
  -- Users whom the text mentions, and whom the project lets in.
  mentions uuid[] not null default '{}',
  created_by uuid references users (id),
  created_with text not null check (created_with in ('session', 'key')),
  key_id uuid,
  by_bot boolean not null,
  edited_at timestamptz(3),
  resolved_at timestamptz(3),
  resolved_by uuid references users (id),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint comments_text check ((body is null) = (deleted_at is not null))
);
create index comments_ticket_idx on comments (ticket_id, id);

call track_history('comments', 'comment', 'id',
  'id ticket_id project_id mentions created_by created_with key_id by_bot created_at updated_at');

alter table part_creations drop constraint part_creations_part_check,
  add constraint part_creations_part_check check (part in ('task', 'test_case', 'comment', 'question'));

-- Takes the text of a deleted comment out of all that was kept of it: history, which tells that it was there, and the
-- stored answer of its creation.
create function forget_comment(in_ticket uuid, in_comment uuid) returns void language sql as $$
  update history set to_value = to_value - 'body', changes = changes - 'body'
  where ticket_id = in_ticket and entity = 'comment' and entity_id = in_comment::text
    and (to_value ? 'body' or changes ? 'body');
  update part_creations set response = jsonb_set(response, '{body}', 'null')
  where ticket_id = in_ticket and part = 'comment' and response ->> 'id' = in_comment::text
$$;
