-- The nightly pruning read all sessions, tokens and audit rows for each 2,000 that it deleted.
create index sessions_ended_idx on sessions (least(revoked_at, expires_at));
create index refresh_tokens_expires_idx on refresh_tokens (expires_at);
create index audit_log_refused_idx on audit_log (created_at) where action = 'session.refused';

-- Of one action in all accounts a super admin's list read every audit row.
create index audit_log_actions_idx on audit_log (action, id);
