-- A transaction may wait for a lock behind another change: what it writes then is later than its begin.
alter table history alter column created_at set default clock_timestamp();
do $$
begin
  execute replace(pg_get_functiondef('stamp_merge'::regproc), 'updated_at = now()', 'updated_at = clock_timestamp()');
end $$;

-- A page of the tasks in one status read on through all the others of the project.
create index tasks_status_idx on tasks (project_id, status, id);
