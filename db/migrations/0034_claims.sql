-- A claim belongs to the credential that made it, and to the name that the agent gave (assignee_session_id). The id is of an
-- API key or of a session.
alter table tasks add column claimed_with uuid;

-- The claims of today get the credential that history knows. A person's claim lasts until it is given back.
alter table tasks disable trigger user;
update tasks t set claimed_with = coalesce(
  (select k.id from api_keys k where k.id::text = t.assignee_session_id and k.user_id = t.assignee_user_id),
  (select s.id from sessions s where s.id::text = t.assignee_session_id and s.user_id = t.assignee_user_id),
  (select (h.actor ->> 'key_id')::uuid from history h
    where h.ticket_id = t.ticket_id and h.entity = 'task' and h.entity_id = t.id::text and h.changes ? 'assignee_session_id'
    order by h.id desc limit 1))
where t.assignee_session_id is not null;
update tasks t set lease_expires_at = null
from sessions s join users u on u.id = s.user_id
where t.lease_expires_at is not null and s.id = t.claimed_with and u.kind = 'human';
alter table tasks enable trigger user;

call track_history('tasks', 'task', 'id', 'id ticket_id project_id lease_expires_at version created_at updated_at');

-- Work that somebody handed over without splitting it into tasks. A claim makes the task.
create index tickets_without_tasks_idx on tickets (project_id, id)
  where status = 'open' and tasks_total = 0 and stage in ('backlog', 'up_next', 'in_progress');
