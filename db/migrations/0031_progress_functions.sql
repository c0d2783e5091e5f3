-- Who works on a ticket. Functions keep their plans for as long as their connection lives; as part of a search, which is planned
-- for its own words, these reads would be planned with each search, though few tickets have a claim or a run.

-- The earliest claim on a task of the ticket. A person's claim has one of the person's sessions as its session id, because the
-- portal claims so. Any other claim is an agent's.
create function claim_of(ticket uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object('id', u.id, 'name', u.name,
      'kind', case
        when u.kind = 'bot' then 'agent'
        when k.assignee_session_id is null then 'person'
        when k.assignee_session_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
          and exists (select from sessions s where s.id = k.assignee_session_id::uuid) then 'person'
        else 'agent' end,
      'lease_expires_at', to_char(k.lease_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from tasks k join users u on u.id = k.assignee_user_id
    where k.ticket_id = ticket and k.status = 'in_progress' order by k.started_at, k.id limit 1
  );
end $$;

create function latest_run_of(ticket uuid) returns jsonb language plpgsql stable as $$
begin
  return (
    select jsonb_build_object('id', r.id, 'agent_id', r.agent_id, 'status', r.status)
    from agent_runs r where r.ticket_id = ticket order by r.id desc limit 1
  );
end $$;
