-- A person's chat hook that answers "later" is left alone until then, with all messages to it.
alter table notification_settings add column chat_rests_until timestamptz(3);
