-- A pending task of a user who may no longer write in its project would be nobody's: the user can't claim it, and nobody
-- else may. Triggers free such tasks, whatever takes the right away.

-- The role of a user in a project, also in core/access.ts; null without any.
create function project_role(user_role text, user_account uuid, project_account uuid, member_role text) returns text
language sql immutable parallel safe
return case when user_role = 'super_admin' or (user_role = 'admin' and user_account = project_account) then 'admin'
  else member_role end;

create function free_tasks_of(user_id uuid) returns void language sql as $$
  with stale as (
    select t.id from tasks t join users u on u.id = t.assignee_user_id join projects p on p.id = t.project_id
      left join project_members m on m.project_id = p.id and m.user_id = u.id
    where t.assignee_user_id = free_tasks_of.user_id and t.status = 'pending'
      and (u.deactivated_at is not null
        or coalesce(project_role(u.role, u.account_id, p.account_id, m.role), 'viewer') = 'viewer')
    order by t.id for update of t
  )
  update tasks t set assignee_user_id = null, assignee_session_id = null, version = t.version + 1,
    updated_at = clock_timestamp()
  from stale where t.id = stale.id
$$;

create function follow_lost_rights() returns trigger language plpgsql as $$
begin
  perform free_tasks_of((to_jsonb(old) ->> tg_argv[0])::uuid);
  return null;
end $$;

create trigger project_members_lost_rights after delete or update of role on project_members
for each row execute function follow_lost_rights('user_id');
create trigger users_lost_rights after update of role, account_id, deactivated_at on users
for each row when ((old.role, old.account_id, old.deactivated_at) is distinct from (new.role, new.account_id, new.deactivated_at))
execute function follow_lost_rights('id');

select set_config('handoff.actor', '{"kind":"job","id":"migration"}', true);
select free_tasks_of(id) from users where id in (select assignee_user_id from tasks where status = 'pending');
