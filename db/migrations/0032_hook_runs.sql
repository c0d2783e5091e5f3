-- No query looks for a person's runs.
drop index hook_runs_user_idx;
