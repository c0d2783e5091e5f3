import type { Db, Fragment } from "../../db/open.ts";
import { newVersion } from "../core/if_match.ts";
import { mergeColumns } from "../tickets/merge.ts";
import type { PullRequestName } from "./lock.ts";

/**
 * Gives the sha of a known merge to `tickets`, a select of ids, whose projects are wired to the
 * repository. A ticket keeps its sha if a later merge counts. It also keeps its sha if this merge
 * was reported late and somebody has set the ticket's merge in between. The tickets and the pull
 * request are locked.
 */
export function stampMerge(db: Db, { repo, number }: PullRequestName, tickets: Fragment) {
  return db`
    update tickets set ${db(mergeColumns(db, db`lower(m.merge_sha)`))}, ${newVersion(db, "tickets")}
    from pull_requests m
    where tickets.id in (${tickets}) and m.repo = ${repo} and m.number = ${number} and m.state = 'merged'
      and tickets.merge_sha is distinct from lower(m.merge_sha)
      and exists (select from project_repositories r where r.project_id = tickets.project_id and lower(r.full_name) = m.repo)
      and not exists (
        select from ticket_pull_requests l join pull_requests other on other.repo = l.repo and other.number = l.number
        join project_repositories r on r.project_id = l.project_id and lower(r.full_name) = other.repo
        where l.ticket_id = tickets.id and (other.merged_at, other.repo, other.number) > (m.merged_at, m.repo, m.number))
      and (precedes(m.event_at, m.merged_at) or not exists (
        select from history h where h.ticket_id = tickets.id and h.changes ? 'merge_sha'
          and h.actor ->> 'kind' in ('user', 'key') and h.created_at > m.merged_at))`;
}
