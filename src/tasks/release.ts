import { RELEASED } from "../assignments/released_columns.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { authorCte } from "../core/history.ts";
import { newVersion, versionMatches } from "../core/if_match.ts";
import { repeatVictim } from "../core/transact.ts";
import { refuseNotHeld } from "./_claims.ts";
import { atPath, isHeld, taskColumns } from "./_rows.ts";
import type { ClaimPath, Task } from "./schema.ts";

/**
 * Releases a claimed task, so that it is pending and anybody may claim it. Admins of the project
 * may release another user's task, but their agents may not.
 * @throws {AppError} version_conflict; already_claimed if another caller holds the task;
 * invalid_transition if nobody does
 */
export async function releaseTask(ctx: ProjectContext, input: ClaimPath): Promise<Task> {
  const { db } = ctx;
  const [task] = await repeatVictim(ctx, () =>
    db<Task[]>`
      with ${authorCte(ctx)}
      update tasks t set ${db(RELEASED)}, ${newVersion(db, "t")} from author
      where ${atPath(ctx, input)} and ${versionMatches(ctx)} and t.status = 'in_progress'
        and (${isHeld(ctx, input.session_id)} or ${isReleasable(ctx, input.session_id)})
      returning ${taskColumns(db)}`);
  return task ?? await refuseNotHeld(ctx, input, "release");
}

/** Tells whether `tasks t`, which may be another user's, is released by an admin of the project. */
function isReleasable({ db, actor, project }: ProjectContext, named: string | undefined) {
  if (project.role !== "admin" || isBot(actor)) return db`false`;
  return named === undefined ? db`true` : db`t.assignee_session_id = ${named}`;
}
