-- Every key that a project has or had. Refs with a former key stand in pull requests, branches and texts, so a key stays
-- its project's for ever.
create table project_keys (
  account_id uuid not null references accounts (id),
  key text not null,
  project_id uuid not null references projects (id),
  created_at timestamptz(3) not null default now(),
  constraint project_keys_key primary key (account_id, key)
);
create index project_keys_project_idx on project_keys (project_id);

insert into project_keys (account_id, key, project_id, created_at) select account_id, key, id, created_at from projects;
-- The audit log names the keys of before.
insert into project_keys (account_id, key, project_id, created_at)
select p.account_id, a.details ->> 'key', p.id, a.created_at
from audit_log a join projects p on p.id::text = a.target_id
where a.action in ('project.created', 'project.updated') and a.details ? 'key'
order by a.id desc
on conflict do nothing;

-- Keys are unique in this table.
alter table projects drop constraint projects_key_key;

create function keep_project_key() returns trigger language plpgsql as $$
begin
  if not exists (select from project_keys
      where account_id = new.account_id and key = new.key and project_id = new.id) then
    insert into project_keys (account_id, key, project_id) values (new.account_id, new.key, new.id);
  end if;
  return null;
end $$;

create trigger projects_keep_key after insert or update of key on projects
for each row execute function keep_project_key();
