import { mayWrite, projectsFor } from "../core/access.ts";
import type { Context } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import { UNASSIGNED } from "./released_columns.ts";

/**
 * Takes open tickets and pending tasks from a user who may no longer write in their projects. Nobody
 * else may claim such tasks. A verb that takes a right away calls this while it holds the
 * lock of the user.
 */
export async function freeWork({ db }: Context, userId: string): Promise<void> {
  await db`
    with stale as (
      select t.id from ${projectsFor(db, userId)}
        join tickets t on t.project_id = p.id and t.assignee_user_id = u.id and t.status = 'open'
      where not ${mayWrite(db)} order by t.id for update of t
    )
    update tickets t set assignee_user_id = null, ${newVersion(db, "t")} from stale where t.id = stale.id`;
  await db`
    with stale as (
      select k.id from ${projectsFor(db, userId)}
        join tasks k on k.project_id = p.id and k.assignee_user_id = u.id and k.status = 'pending'
      where not ${mayWrite(db)} order by k.id for update of k
    )
    update tasks t set ${db(UNASSIGNED)}, ${newVersion(db, "t")} from stale where t.id = stale.id`;
}
