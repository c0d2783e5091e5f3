import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { getTask } from "./get.ts";
import type { TaskPath } from "./schema.ts";

/** Says why a task isn't the caller's to extend or give back. */
export async function refuseNotHeld(ctx: ProjectContext, input: TaskPath, attempt: string): Promise<never> {
  const task = await getTask(ctx, input);
  const refused = `Cannot ${attempt} task ${task.title}:`;
  if (task.status !== "in_progress") {
    throw new AppError("invalid_transition", `${refused} it is ${task.status}`);
  }
  if (task.assignee_user_id === ctx.actor.user.id) {
    throw new AppError("invalid_transition", `${refused} it was given to you without a claim`);
  }
  throw new AppError("already_claimed", `${refused} it is held by another`);
}
