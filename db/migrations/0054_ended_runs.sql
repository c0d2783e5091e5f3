-- A run that will not go on: a person ended it, or its sender did without a result.
alter table agent_runs drop constraint agent_runs_status_check,
  add constraint agent_runs_status_check check (status in ('running', 'finished', 'failed', 'ended'));
