-- Surveys are for super admins: an account's admins, who may read what its audit list says, may not read their codes.
update audit_log set account_id = null where target_type = 'survey';
