-- A task may become pending again after its assignee lost the right to write: an answer ends a block, say. Whatever makes it
-- pending, or gives it, leaves no assignee who may not write.
create function may_write(user_id uuid, project_id uuid) returns boolean language sql stable as $$
  select exists (
    select from users u join projects p on p.id = may_write.project_id
      left join project_members m on m.project_id = p.id and m.user_id = u.id
    where u.id = may_write.user_id and u.deactivated_at is null
      and project_role(u.role, u.account_id, p.account_id, m.role) in ('member', 'admin'))
$$;

create function drop_lost_assignee() returns trigger language plpgsql as $$
begin
  -- Behind the lock nobody takes the right away before this change can be seen, and freed.
  perform from users where id = new.assignee_user_id for share;
  if not may_write(new.assignee_user_id, new.project_id) then
    new.assignee_user_id := null;
    new.assignee_session_id := null;
  end if;
  return new;
end $$;

create trigger tasks_lost_assignee_insert before insert on tasks
for each row when (new.status = 'pending' and new.assignee_user_id is not null) execute function drop_lost_assignee();
create trigger tasks_lost_assignee_update before update of status, assignee_user_id on tasks
for each row when (new.status = 'pending' and new.assignee_user_id is not null
  and (old.status, old.assignee_user_id) is distinct from (new.status, new.assignee_user_id))
execute function drop_lost_assignee();
