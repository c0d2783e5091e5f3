import { requirePerson } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { authorCte } from "../core/history.ts";
import { newVersion, requireVersion, versionMatches } from "../core/if_match.ts";
import { repeatVictim } from "../core/transact.ts";
import { claimColumns, taken } from "./_claims.ts";
import { atPath, readHeld, taskColumns } from "./_rows.ts";
import type { Task, TaskPath } from "./schema.ts";

/**
 * Gives a task that is at work to the calling person, in place of its holder. A blocked task stays
 * blocked.
 * @throws {AppError} forbidden for bot clients; version_conflict; already_claimed if it is the
 * caller's; invalid_transition if nobody works on it
 */
export async function takeOverTask(ctx: ProjectContext, input: TaskPath): Promise<Task> {
  requirePerson(ctx.actor, "Only a person may take over a task");
  const { db, actor: { user, credential } } = ctx;
  const [task] = await repeatVictim(ctx, () =>
    db<Task[]>`
      with ${authorCte(ctx)}
      update tasks t set ${db(claimColumns(ctx, undefined))}, started_at = now(), ${
      newVersion(db, "t")
    } from author
      where ${atPath(ctx, input)} and ${versionMatches(ctx)} and t.status in ('in_progress', 'blocked')
        and (t.assignee_user_id is distinct from ${user.id}::uuid or t.claimed_with is distinct from ${credential.id}::uuid)
      returning ${taskColumns(db)}`);
  if (task) return task;
  const found = await readHeld(ctx, input, undefined);
  requireVersion(ctx, found.task, "task");
  const refused = `Cannot take over task ${found.task.title}:`;
  const { status } = found.task;
  if (status === "in_progress" || status === "blocked") throw await taken(ctx, found, refused);
  throw new AppError("invalid_transition", `${refused} it is ${status}`);
}
