-- Of a user's links to set a password only the newest works; those that were made at the same moment all did.
update invitations i set used_at = now()
where used_at is null and exists (
  select from invitations newer
  where newer.user_id = i.user_id and newer.used_at is null
    and (newer.created_at, newer.token_hash) > (i.created_at, i.token_hash)
);

create unique index invitations_unused_key on invitations (user_id) where used_at is null;
