-- A run that will not go on: a person ended it, or its sender did without a result.
alter table agent_runs drop constraint agent_runs_status_check,
  add constraint agent_runs_status_check check (status in ('running', 'finished', 'failed', 'ended'));

-- When a run was last heard of: an event of its own, or a sign of life of a task that its agent works on. A lease of 15
-- minutes tells when it was given.
create function last_sign(run agent_runs) returns timestamptz language sql stable as $$
  select greatest(run.updated_at, (select max(greatest(k.updated_at, k.lease_expires_at - interval '15 minutes')) from tasks k
    where k.ticket_id = run.ticket_id and (k.id = any (run.task_ids) or k.assignee_session_id = run.agent_id)))
$$;
