-- A question on a ticket, which somebody is to answer so that the work goes on.
create table questions (
  id uuid primary key,
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  task_id uuid references tasks (id) on delete set null,
  kind text not null check (kind in ('question', 'decision', 'confirmation')),
  prompt text not null,
  context text,
  -- [{id, label, description}]; null where the answer is a text.
  options jsonb,
  selection text check (selection in ('single', 'multiple')),
  allow_text boolean not null,
  addressee_user_id uuid references users (id),
  addressee_role text check (addressee_role in ('member', 'admin')),
  resolver text not null check (resolver in ('human_only', 'not_creator')),
  about_version integer,
  due_at timestamptz(3),
  default_option text,
  -- Made of the ticket's own title and description, as its type asks for an answer.
  made_with_ticket boolean not null default false,
  -- What its task was when this question blocked it; null when it blocks none.
  task_was text check (task_was in ('pending', 'in_progress')),
  status text not null default 'pending' check (status in ('pending', 'answered', 'withdrawn', 'superseded', 'expired')),
  option_ids text[],
  answer_text text,
  answered_by uuid references users (id),
  answered_with text check (answered_with in ('session', 'key', 'default')),
  answered_by_bot boolean,
  ended_at timestamptz(3),
  superseded_by uuid references questions (id),
  created_by uuid references users (id),
  created_with text not null check (created_with in ('session', 'key')),
  key_id uuid,
  by_bot boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint questions_ended check ((status = 'pending') = (ended_at is null)),
  constraint questions_answer check ((status = 'answered') = (answered_with is not null))
);
create index questions_ticket_idx on questions (ticket_id, id);
create index questions_task_idx on questions (task_id) where task_id is not null;
create index questions_pending_idx on questions (project_id, id) where status = 'pending';
create index questions_due_idx on questions (due_at) where status = 'pending' and due_at is not null;

call track_history('questions', 'question', 'id',
  'id ticket_id project_id task_was answered_by_bot created_by created_with key_id by_bot created_at updated_at');

-- How many of a ticket's questions are pending, and how many of these only a person may answer: a list shows and filters
-- them without looking at any question.
alter table tickets add pending_questions integer not null default 0, add human_questions integer not null default 0;
call track_history('tickets', 'ticket', 'id',
  'id project_id priority_rank ship_state reopened pending_questions human_questions version created_at updated_at');

-- The one who works on a task still does: an active user who may write there, by a key that has not ended. Nobody's work
-- goes on as it was.
create function claimant_works(claimant uuid, claimed_under text, in_project uuid) returns boolean language sql stable as $$
  select claimant is null or exists (
    select from users u join projects p on p.id = in_project
      left join project_members m on m.project_id = p.id and m.user_id = u.id
    where u.id = claimant and u.deactivated_at is null
      and (u.role = 'super_admin' or (u.role = 'admin' and u.account_id = p.account_id) or m.role in ('member', 'admin'))
  ) and not exists (
    select from api_keys k where k.id::text = claimed_under and k.user_id = claimant
      and (k.revoked_at is not null or k.expires_at <= now())
  )
$$;

create function follow_new_questions() returns trigger language plpgsql as $$
begin
  -- What is made with its ticket is counted by the ticket's own row.
  update tickets t set pending_questions = t.pending_questions + c.pending, human_questions = t.human_questions + c.human
  from (
    select ticket_id, count(*)::integer as pending, (count(*) filter (where resolver = 'human_only'))::integer as human
    from inserted where status = 'pending' and not made_with_ticket group by ticket_id
  ) c where t.id = c.ticket_id;
  return null;
end $$;
create trigger questions_insert after insert on questions referencing new table as inserted
  for each statement execute function follow_new_questions();

-- A question that is no longer pending lets go of its task, by whatever door it ended: back to work under the same claim
-- with a lease of 15 minutes, or free for others when its claimant is gone. Another pending question keeps the task blocked.
create function follow_ended_questions() returns trigger language plpgsql as $$
begin
  if not exists (
    select from inserted n full join deleted o on o.id = n.id where o.status = 'pending' and n.status <> 'pending'
  ) then return null; end if;
  update tickets t set pending_questions = t.pending_questions - c.ended, human_questions = t.human_questions - c.human
  from (
    select n.ticket_id, count(*)::integer as ended, (count(*) filter (where n.resolver = 'human_only'))::integer as human
    from inserted n full join deleted o on o.id = n.id where o.status = 'pending' and n.status <> 'pending' group by n.ticket_id
  ) c where t.id = c.ticket_id;
  update tasks t set status = k.next, blocking_reason = left(k.other_prompt, 2000), version = t.version + 1,
    updated_at = clock_timestamp(),
    lease_expires_at = case when k.next = 'in_progress' and t.assignee_session_id is not null then now() + interval '15 minutes' end,
    assignee_user_id = case when not k.given_up then t.assignee_user_id end,
    assignee_session_id = case when not k.given_up then t.assignee_session_id end,
    started_at = case when not k.given_up then t.started_at end
  from (
    select b.id, e.other_prompt, e.was = 'in_progress' and e.other_prompt is null and not w.works as given_up,
      case when e.other_prompt is not null then 'blocked' when e.was = 'in_progress' and w.works then 'in_progress'
        else 'pending' end as next
    from (
      select n.task_id, max(n.task_was) as was, (
        select q.prompt from questions q where q.task_id = n.task_id and q.status = 'pending' and q.task_was is not null
        order by q.id desc limit 1) as other_prompt
      from inserted n full join deleted o on o.id = n.id
      where o.status = 'pending' and n.status <> 'pending' and n.task_was is not null group by n.task_id
    ) e
    join tasks b on b.id = e.task_id and b.status = 'blocked'
    cross join lateral (select claimant_works(b.assignee_user_id, b.assignee_session_id, b.project_id) as works) w
  ) k where t.id = k.id and (t.status, t.blocking_reason) is distinct from (k.next, left(k.other_prompt, 2000));
  return null;
end $$;
create trigger questions_update after update on questions referencing old table as deleted new table as inserted
  for each statement execute function follow_ended_questions();

-- The hash of a text that is gone says too much of it as well.
create or replace function forget_comment(in_ticket uuid, in_comment uuid) returns void language sql as $$
  update history set to_value = to_value - 'body', changes = changes - 'body'
  where ticket_id = in_ticket and entity = 'comment' and entity_id = in_comment::text
    and (to_value ? 'body' or changes ? 'body');
  update part_creations set response = jsonb_set(response, '{body}', 'null'), body_sha256 = null
  where ticket_id = in_ticket and part = 'comment' and response ->> 'id' = in_comment::text
$$;
