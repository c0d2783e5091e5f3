import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { requireVersion } from "../core/if_match.ts";
import { getTask } from "./get.ts";
import type { TaskPath } from "./schema.ts";

/** Says why a task isn't the caller's to extend or give back. */
export async function refuseNotHeld(ctx: ProjectContext, input: TaskPath, attempt: string): Promise<never> {
  const task = await getTask(ctx, input);
  requireVersion(ctx, task, "task");
  const refused = `Cannot ${attempt} task ${task.title}:`;
  if (task.status !== "in_progress") {
    throw new AppError("invalid_transition", `${refused} it is ${task.status}`);
  }
  const { assignee_user_id: assignee, assignee_session_id: session } = task;
  if (assignee === ctx.actor.user.id && session === null) {
    throw new AppError("invalid_transition", `${refused} it was given to you without a claim`);
  }
  const held = assignee === null
    ? "was begun without a claim"
    : `is held ${assignee === ctx.actor.user.id ? "under another session or key of yours" : "by another"}`;
  throw new AppError("already_claimed", `${refused} it ${held}`, { details: { current: task } });
}
