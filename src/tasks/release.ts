import type { ProjectContext } from "../core/context.ts";
import { authorCte } from "../core/history.ts";
import { newVersion, versionMatches } from "../core/if_match.ts";
import { repeatVictim } from "../core/transact.ts";
import { inSession, refuseNotHeld } from "./_claims.ts";
import { atPath, taskColumns } from "./_rows.ts";
import type { ClaimPath, Task } from "./schema.ts";
import { RELEASED } from "./released_columns.ts";

/**
 * Releases a claimed task, so that it is pending and anybody may claim it. Admins of the project
 * may release another user's task.
 * @throws {AppError} version_conflict; already_claimed if another caller holds the task;
 * invalid_transition if nobody does
 */
export async function releaseTask(ctx: ProjectContext, input: ClaimPath): Promise<Task> {
  const { db, actor, project } = ctx;
  const [task] = await repeatVictim(ctx, () =>
    db<Task[]>`
      with ${authorCte(ctx)}
      update tasks t set ${db(RELEASED)}, ${newVersion(db, "t")} from author
      where ${atPath(ctx, input)} and ${versionMatches(ctx)} and t.status = 'in_progress'
        and (t.assignee_user_id = ${actor.user.id}::uuid or ${project.role === "admin"})
        and ${inSession(ctx, input.session_id)}
      returning ${taskColumns(db)}`);
  return task ?? await refuseNotHeld(ctx, input, "release");
}
