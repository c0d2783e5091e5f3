-- A repository's name can be given to another repository, which numbers its pull requests from 1 again: whose number it is
-- shows by the provider's own id. Null: it was not told.
alter table pull_requests add provider_id bigint;

-- Told by two clocks, the provider's and this service's, which may differ by some minutes.
create function precedes(earlier timestamptz, later timestamptz) returns boolean language sql stable as $$
  select earlier <= later + interval '5 minutes'
$$;

-- Tickets of projects that are wired to the repository get the sha of a merge, unless a later merge of theirs counts, or it
-- is told late and someone has said meanwhile what their merge is.
create or replace function stamp_merge(in_tickets uuid[], in_repo text, in_number integer) returns integer language plpgsql as $$
declare
  stamped integer;
begin
  update tickets t set merge_sha = lower(m.merge_sha), version = version + 1, updated_at = now()
  from pull_requests m
  where t.id = any (in_tickets) and m.repo = in_repo and m.number = in_number and m.state = 'merged'
    and t.merge_sha is distinct from lower(m.merge_sha)
    and exists (select from project_repositories r where r.project_id = t.project_id and lower(r.full_name) = m.repo)
    and not exists (
      select from ticket_pull_requests l join pull_requests other on other.repo = l.repo and other.number = l.number
      join project_repositories r on r.project_id = l.project_id and lower(r.full_name) = other.repo
      where l.ticket_id = t.id and (other.merged_at, other.repo, other.number) > (m.merged_at, m.repo, m.number))
    and (precedes(m.event_at, m.merged_at) or not exists (
      select from history h where h.ticket_id = t.id and h.changes ? 'merge_sha' and h.actor ->> 'kind' in ('user', 'key')
        and h.created_at > m.merged_at));
  get diagnostics stamped = row_count;
  return stamped;
end $$;
