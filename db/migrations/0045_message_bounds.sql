-- Mails are sent in turns between accounts, and bounded for each recipient and for each author.
alter table messages add account_id uuid references accounts (id), add author_id text;
update messages m set account_id = u.account_id from users u where u.id = m.user_id;
alter table messages alter account_id set not null;
drop index messages_pending_idx;
create index messages_pending_idx on messages (account_id, next_try_at) where state = 'pending';
create index messages_user_idx on messages (user_id, created_at);
create index messages_author_idx on messages (author_id, created_at) where author_id is not null;

-- The address of a chat's webhook is a secret: who knows it can write there. It is shown to the one who entered it.
alter table outbound_endpoints add url_set_by uuid references users (id); -- null: who made the webhook
update audit_log set details = details - 'url' || jsonb_build_object('host', substring(details ->> 'url' from '^[a-z]+://([^/?#]+)'))
where action like 'webhook.%' and details ? 'url';
