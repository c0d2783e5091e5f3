import type { Db, Fragment } from "../../db/open.ts";
import { mayWrite, projectsFor } from "../core/access.ts";
import type { Context } from "../core/context.ts";

/**
 * Tells whether `tasks t` is nobody's, or its assignee may hold it. The assignee is an active user
 * who may write in the project, and a claim ends with the API key that made it. Where a task is
 * given to somebody, or goes on, call `lockAssignees` first.
 */
export function mayHold(db: Db): Fragment {
  return db`(t.assignee_user_id is null or exists (
    select from ${projectsFor(db, db`t.assignee_user_id`)} where p.id = t.project_id and ${mayWrite(db)}
  ) and not exists (
    select from api_keys k where k.id = t.claimed_with and (k.revoked_at is not null or k.expires_at <= now())))`;
}

/**
 * Keeps the rights of users in place until the transaction ends. Otherwise a call that takes a right
 * away could free its user's work just before more work is given to that user, and miss it.
 * @param which a query for their ids
 */
export async function lockAssignees({ db }: Context, which: Fragment): Promise<void> {
  await db`select from users where id in (${which}) order by id for share`;
}
