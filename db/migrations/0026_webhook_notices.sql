-- The admins of a project are told at once of a webhook that was switched off. The message is about a webhook, which may be
-- gone when the message is due, so the column has no foreign key.
alter table messages add column webhook_id uuid;
alter table messages drop constraint messages_kind_check;
alter table messages add constraint messages_kind_check check (kind in ('now', 'digest', 'invite', 'webhook'));
