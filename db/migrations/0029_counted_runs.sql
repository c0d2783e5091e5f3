-- How many runs of cloud agents a ticket has. Most tickets have none, and a page of a list looks for the latest run only
-- where there is one.
alter table tickets add agent_runs integer not null default 0;
call track_history('tickets', 'ticket', 'id', 'id project_id priority_rank ship_state reopened pending_questions human_questions '
  'tasks_done tasks_total cases_approved cases_total agent_runs version created_at updated_at');

create function count_new_run() returns trigger language plpgsql as $$
begin
  update tickets set agent_runs = agent_runs + 1 where id = new.ticket_id;
  return null;
end $$;
create trigger agent_runs_count_insert after insert on agent_runs for each row execute function count_new_run();

-- The counts of the runs that are there already. They are no change of a ticket.
alter table tickets disable trigger user;
update tickets t set agent_runs = n.total
from (select ticket_id, count(*)::integer as total from agent_runs group by ticket_id) n where t.id = n.ticket_id;
alter table tickets enable trigger user;
