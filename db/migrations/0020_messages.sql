-- What a person wants to be told by mail and chat. Without a row: all by mail.
create table notification_settings (
  user_id uuid primary key references users (id),
  mail text not null check (mail in ('all', 'urgent', 'none')),
  -- Encrypted, because whoever knows a chat hook's address can write there.
  chat_url text,
  updated_at timestamptz(3) not null default now()
);

-- Mails and chat messages on their way. Each has one recipient, so that a refused address stops no other one. The id is
-- the mail's Message-ID for all tries.
create table messages (
  id uuid primary key,
  user_id uuid not null references users (id),
  channel text not null check (channel in ('mail', 'chat')),
  kind text not null check (kind in ('now', 'digest', 'invite')),
  ticket_ids uuid[] not null default '{}',
  -- Of an invitation its link, encrypted; gone once it is sent.
  link text,
  state text not null default 'pending' check (state in ('pending', 'sent', 'refused', 'failed', 'obsolete')),
  tries integer not null default 0,
  next_try_at timestamptz(3) not null default now(),
  error text,
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3)
);
create index messages_pending_idx on messages (next_try_at) where state = 'pending';
create index messages_done_idx on messages (created_at) where state <> 'pending';
