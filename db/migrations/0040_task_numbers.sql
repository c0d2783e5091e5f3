-- The number of a task in its ticket, as in HO-12/3. Unlike its place it never changes, and a deleted task's number isn't
-- given again, so that a name that somebody keeps never means another task.
alter table tasks add column number integer;

create table task_numbers (
  ticket_id uuid primary key references tickets (id),
  last integer not null
);

alter table tasks disable trigger user;
update tasks t set number = n.number
from (select id, row_number() over (partition by ticket_id order by sequence) as number from tasks) n
where t.id = n.id;
alter table tasks enable trigger user;
alter table tasks alter column number set not null, add constraint tasks_number_key unique (ticket_id, number);
insert into task_numbers select ticket_id, max(number) from tasks group by ticket_id;

-- A creation that is repeated gets its first answer, which has the number, too. No task has the number 0.
update part_creations c set response = c.response || jsonb_build_object('number',
  coalesce((select t.number from tasks t where t.id = (c.response ->> 'id')::uuid and t.ticket_id = c.ticket_id), 0))
where c.part = 'task';

-- A task that is restored or imported keeps its number.
create function give_task_number() returns trigger language plpgsql as $$
begin
  insert into task_numbers as n (ticket_id, last) values (new.ticket_id, coalesce(new.number, 1))
  on conflict (ticket_id) do update set last = case when new.number is null then n.last + 1 else greatest(n.last, new.number) end
  returning coalesce(new.number, n.last) into new.number;
  return new;
end $$;
create trigger tasks_number before insert on tasks for each row execute function give_task_number();

call track_history('tasks', 'task', 'id', 'id ticket_id project_id number lease_expires_at version created_at updated_at');
