-- Who follows a ticket, beside its creator and the assignees of its tasks, who follow it without a row here.
create table watchers (
  ticket_id uuid not null references tickets (id),
  user_id uuid not null references users (id),
  project_id uuid not null,
  reason text not null check (reason in ('manual', 'mention', 'comment')),
  muted boolean not null default false,
  created_at timestamptz(3) not null default now(),
  primary key (ticket_id, user_id)
);

-- One row for each recipient and ticket, however much happens there. A recipient is a user or, for what concerns an agent
-- of a person's alone, the API key that it calls with. No text of a comment or question is kept here.
create table notifications (
  recipient_id uuid not null,
  user_id uuid not null references users (id),
  ticket_id uuid not null references tickets (id),
  project_id uuid not null,
  reason text not null check (reason in ('question', 'approval', 'mention', 'assigned', 'comment', 'change')),
  first_event jsonb not null,
  last_event jsonb not null,
  last_at timestamptz(3) not null,
  read_at timestamptz(3),
  archived_at timestamptz(3),
  snoozed_until timestamptz(3),
  -- Something has happened since the last delivery; urgent: something that is delivered at once.
  undelivered boolean not null,
  urgent boolean not null,
  primary key (recipient_id, ticket_id)
);
create index notifications_inbox_idx on notifications (recipient_id, last_at, ticket_id) where archived_at is null;
create index notifications_undelivered_idx on notifications (last_at) where undelivered;
create index notifications_ticket_idx on notifications (ticket_id);

-- What a user may do in a project; null without any access, and once deactivated.
create function role_of_user(of_user uuid, in_project uuid) returns text language sql stable as $$
  select project_role(u.role, u.account_id, p.account_id, m.role)
  from projects p join users u on u.id = of_user
    left join project_members m on m.project_id = p.id and m.user_id = u.id
  where p.id = in_project and u.deactivated_at is null
$$;

create or replace function claimant_works(claimant uuid, claimed_under text, in_project uuid) returns boolean language sql stable as $$
  select claimant is null or (coalesce(role_of_user(claimant, in_project), '') in ('member', 'admin') and not exists (
    select from api_keys k where k.id::text = claimed_under and k.user_id = claimant
      and (k.revoked_at is not null or k.expires_at <= now())))
$$;

-- The recipient that an act or a notification belongs to. A bot user is one agent, whatever key it calls with; each key of
-- a person's is an agent of its own.
create function recipient_of(of_user uuid, by_key uuid) returns uuid language sql stable as $$
  select case when by_key is not null and u.kind = 'human' then by_key else u.id end from users u where u.id = of_user
$$;

create function author_recipient(author jsonb) returns uuid language sql stable as $$
  select case when author ->> 'kind' in ('user', 'key') then recipient_of((author ->> 'id')::uuid, (author ->> 'key_id')::uuid) end
$$;

-- Tells a recipient of an event, unless it is the recipient's own act, the ticket is muted, or the project closed to them.
-- The strongest reason since the last reading stays.
create function tell(who uuid, by_key uuid, in_ticket uuid, in_project uuid, why text, what jsonb) returns void language sql as $$
  insert into notifications as n (recipient_id, user_id, ticket_id, project_id, reason, first_event, last_event, last_at, undelivered, urgent)
  select r.id, who, in_ticket, in_project, why, what, what, clock_timestamp(), true, why in ('question', 'approval', 'mention')
  from (select recipient_of(who, by_key) as id offset 0) r
  where r.id is distinct from author_recipient(what -> 'actor') and role_of_user(who, in_project) is not null
    and (r.id <> who or not exists (select from watchers w where w.ticket_id = in_ticket and w.user_id = who and w.muted))
  on conflict (recipient_id, ticket_id) do update set
    reason = case when n.read_at is null
        and array_position('{change,comment,assigned,mention,approval,question}', n.reason)
          > array_position('{change,comment,assigned,mention,approval,question}', excluded.reason)
      then n.reason else excluded.reason end,
    first_event = case when n.read_at is null then n.first_event else excluded.first_event end,
    last_event = excluded.last_event, last_at = excluded.last_at, read_at = null, archived_at = null,
    undelivered = true, urgent = excluded.urgent or (n.urgent and n.undelivered)
$$;

-- As an event of the feed has it, without a number.
create function event_of(in_type text, in_entity text, in_id text, author jsonb) returns jsonb language sql stable as $$
  select jsonb_build_object('type', in_type, 'entity', in_entity, 'entity_id', in_id, 'actor', author - 'request_id',
    'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
$$;

create function is_quiet() returns boolean language sql stable as $$
  select coalesce(current_setting('handoff.quiet', true), '') = 'on'
$$;

-- People who may decide in a project: its members, and where nobody else is one, the account's admins.
create function deciders(in_project uuid, at_least text, except_for uuid) returns setof uuid language sql stable as $$
  with members as (
    select u.id from project_members m join users u on u.id = m.user_id
    where m.project_id = in_project and u.kind = 'human' and u.deactivated_at is null and u.id is distinct from except_for
      and role_of_user(u.id, in_project) = any (case at_least when 'admin' then '{admin}' else '{member,admin}' end::text[])
  )
  select id from members union all
  select u.id from projects p join users u on u.account_id = p.account_id
  where p.id = in_project and u.kind = 'human' and u.role in ('admin', 'super_admin') and u.deactivated_at is null
    and not exists (select from members)
$$;

-- People who follow a ticket; who has muted it is left out by tell().
create function followers(in_ticket uuid) returns setof uuid language sql stable as $$
  select u.id from users u
  where u.kind = 'human' and u.id in (
    select t.created_by from tickets t where t.id = in_ticket union
    select k.assignee_user_id from tasks k where k.ticket_id = in_ticket and k.status not in ('done', 'skipped') union
    select w.user_id from watchers w where w.ticket_id = in_ticket)
$$;

create function tell_of_new_questions() returns trigger language plpgsql as $$
declare
  q record;
  author jsonb;
begin
  if is_quiet() then return null; end if;
  for q in select * from inserted i where i.status = 'pending' order by i.id loop
    author := acting_on(acting(), q.ticket_id::text);
    perform tell(d.id, null, q.ticket_id, q.project_id, 'question', event_of('question.created', 'question', q.id::text, author))
    from (
      select q.addressee_user_id as id where q.addressee_user_id is not null
      union all
      select deciders(q.project_id, coalesce(q.addressee_role, 'member'), author_recipient(author)) where q.addressee_user_id is null
    ) d;
  end loop;
  return null;
end $$;
create trigger questions_tell_insert after insert on questions referencing new table as inserted
  for each statement execute function tell_of_new_questions();

-- The asker is told, and whoever works on the task that waited.
create function tell_of_ended_questions() returns trigger language plpgsql as $$
begin
  if is_quiet() then return null; end if;
  perform tell(w.user_id, w.key_id, n.ticket_id, n.project_id, 'question',
    event_of('question.' || n.status, 'question', n.id::text, acting_on(acting(), n.ticket_id::text)))
  from inserted n full join deleted o on o.id = n.id
  cross join lateral (
    select n.created_by as user_id, n.key_id union
    select k.assignee_user_id, (select a.id from api_keys a where a.id::text = k.assignee_session_id and a.user_id = k.assignee_user_id)
    from tasks k where k.id = n.task_id
  ) w
  where o.status = 'pending' and n.status <> 'pending' and w.user_id is not null;
  return null;
end $$;
create trigger questions_tell_update after update on questions referencing old table as deleted new table as inserted
  for each statement execute function tell_of_ended_questions();

-- Bots hear of a comment only where it mentions them on an open ticket: of another bot's mention once, until a person has
-- commented again, so that two bots don't wake one another for ever.
create function hears_mention(of_user uuid, comment comments) returns boolean language sql stable as $$
  select u.kind = 'human' or (
    exists (select from tickets t where t.id = comment.ticket_id and t.status = 'open')
    and not (comment.by_bot and exists (
      select from comments c
      where c.ticket_id = comment.ticket_id and c.id < comment.id and c.by_bot and of_user = any (c.mentions)
        and c.id > coalesce((
          select p.id from comments p where p.ticket_id = comment.ticket_id and not p.by_bot order by p.id desc limit 1),
          '00000000-0000-0000-0000-000000000000')
    )))
  from users u where u.id = of_user
$$;

create function tell_of_comment(comment comments, mentioned uuid[], is_new boolean) returns void language plpgsql as $$
declare
  what jsonb := event_of(case when is_new then 'comment.created' else 'comment.changed' end, 'comment', comment.id::text,
    acting_on(acting(), comment.ticket_id::text));
begin
  insert into watchers (ticket_id, user_id, project_id, reason)
  select comment.ticket_id, w.id, comment.project_id, w.reason
  from (
    select comment.created_by as id, 'comment' as reason where is_new and not comment.by_bot union all
    select m.id, 'mention' from unnest(mentioned) as m (id)
  ) w join users u on u.id = w.id and u.kind = 'human'
  order by w.id on conflict do nothing;
  perform tell(m.id, null, comment.ticket_id, comment.project_id, 'mention', what)
  from unnest(mentioned) as m (id) where hears_mention(m.id, comment);
  if is_new then
    perform tell(f.id, null, comment.ticket_id, comment.project_id, 'comment', what)
    from followers(comment.ticket_id) as f (id) where f.id <> all (mentioned);
  end if;
end $$;

create function tell_of_new_comment() returns trigger language plpgsql as $$
begin
  if not is_quiet() then perform tell_of_comment(new, new.mentions, true); end if;
  return null;
end $$;
create trigger comments_tell_insert after insert on comments for each row execute function tell_of_new_comment();

create function tell_of_edited_comment() returns trigger language plpgsql as $$
begin
  perform tell_of_comment(new, array(select unnest(new.mentions) except select unnest(old.mentions)), false);
  return null;
end $$;
create trigger comments_tell_update after update of mentions on comments for each row
  when (not new.mentions <@ old.mentions) execute function tell_of_edited_comment();

-- A claim gives a task to who makes it, who knows.
create function tell_of_assignment() returns trigger language plpgsql as $$
begin
  if not is_quiet() then
    perform tell(new.assignee_user_id, null, new.ticket_id, new.project_id, 'assigned',
      event_of(case tg_op when 'INSERT' then 'task.created' else 'task.changed' end, 'task', new.id::text,
        acting_on(acting(), new.ticket_id::text)));
  end if;
  return null;
end $$;
create trigger tasks_tell_insert after insert on tasks for each row
  when (new.assignee_user_id is not null and new.status = 'pending') execute function tell_of_assignment();
create trigger tasks_tell_update after update of assignee_user_id on tasks for each row
  when (new.assignee_user_id is distinct from old.assignee_user_id and new.assignee_user_id is not null
    and new.assignee_session_id is null)
  execute function tell_of_assignment();

-- A case waits for its approval from the moment that its ticket is in validation.
create function tell_of_validation() returns trigger language plpgsql as $$
declare
  author jsonb := acting_on(acting(), new.id::text);
begin
  if not is_quiet() and exists (select from test_cases c where c.ticket_id = new.id and c.status = 'pending') then
    perform tell(d.id, null, new.id, new.project_id, 'approval', event_of('ticket.changed', 'ticket', new.id::text, author))
    from deciders(new.project_id, 'member', author_recipient(author)) as d (id);
  end if;
  return null;
end $$;
create trigger tickets_tell_validation after update of stage on tickets for each row
  when (new.stage = 'validation' and old.stage <> 'validation') execute function tell_of_validation();

create function tell_of_case() returns trigger language plpgsql as $$
declare
  author jsonb := acting_on(acting(), new.ticket_id::text);
begin
  if not is_quiet() and exists (select from tickets t where t.id = new.ticket_id and t.stage = 'validation') then
    perform tell(d.id, null, new.ticket_id, new.project_id, 'approval', event_of('test_case.created', 'test_case', new.id::text, author))
    from deciders(new.project_id, 'member', author_recipient(author)) as d (id);
  end if;
  return null;
end $$;
create trigger test_cases_tell_insert after insert on test_cases for each row
  when (new.status = 'pending') execute function tell_of_case();

-- How far the events have been followed for those who watch tickets.
create table notification_cursor (last_seq bigint not null);
insert into notification_cursor select last_seq from event_counter;

-- What an admin of a project has to look at.
create index agent_runs_open_idx on agent_runs (project_id, id) where status in ('running', 'failed');
