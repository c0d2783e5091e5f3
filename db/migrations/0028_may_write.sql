-- Whether a user may write in a project, and whether a claimant still may, follow from one rule.
create or replace function may_write(user_id uuid, project_id uuid) returns boolean language sql stable as $$
  select coalesce(role_of_user(may_write.user_id, may_write.project_id) in ('member', 'admin'), false)
$$;

create or replace function claimant_works(claimant uuid, claimed_under text, in_project uuid) returns boolean language sql stable as $$
  select claimant is null or (may_write(claimant, in_project) and not exists (
    select from api_keys k where k.id::text = claimed_under and k.user_id = claimant
      and (k.revoked_at is not null or k.expires_at <= now())))
$$;
