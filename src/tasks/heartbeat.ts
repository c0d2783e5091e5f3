import type { ProjectContext } from "../core/context.ts";
import { authorCte } from "../core/history.ts";
import { versionMatches } from "../core/if_match.ts";
import { repeatVictim } from "../core/transact.ts";
import { renewedLease } from "../assignments/lease.ts";
import { refuseNotHeld } from "./_claims.ts";
import { atPath, isHeld, taskColumns } from "./_rows.ts";
import type { ClaimPath, Task } from "./schema.ts";

/**
 * Extends the caller's claim to a whole lease from now. An expired claim counts until a sweep ends
 * it. A person's claim has no lease, so their heartbeat is only a sign of life. The task's version stays the same, so that nobody who edits the task at that time gets a
 * conflict.
 * @throws {AppError} version_conflict; already_claimed if another caller holds the task;
 * invalid_transition if nobody does
 */
export async function heartbeatTask(ctx: ProjectContext, input: ClaimPath): Promise<Task> {
  const { db } = ctx;
  const [task] = await repeatVictim(ctx, () =>
    db<Task[]>`
      with ${authorCte(ctx)}
      update tasks t set lease_expires_at = ${renewedLease(db)}, updated_at = case when ${
      renewedLease(db)
    } is null then clock_timestamp() else t.updated_at end from author
      where ${atPath(ctx, input)} and ${versionMatches(ctx)} and t.status = 'in_progress'
        and t.assignee_session_id is not null and ${isHeld(ctx, input.session_id)}
      returning ${taskColumns(db)}`);
  return task ?? await refuseNotHeld(ctx, input, "extend the claim of");
}
