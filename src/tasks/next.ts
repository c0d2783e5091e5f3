import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { requireTicket } from "../tickets/get.ts";
import { claimable } from "./_claims.ts";
import { taskColumns } from "./_rows.ts";
import type { NextTask, Task } from "./schema.ts";

/**
 * Returns the first task in order that the caller may claim; with a role, the first task of that
 * role.
 * @throws {AppError} not_found if there is none
 */
export async function nextTask(ctx: ProjectContext, input: NextTask): Promise<Task> {
  const { db, project } = ctx;
  const ofRole = input.role ? db`and t.role = ${input.role}` : db``;
  const [, [task]] = await Promise.all([
    requireTicket(ctx, input.ticketId),
    db<Task[]>`
      select ${taskColumns(db)} from tasks t
      where t.ticket_id = ${input.ticketId}::uuid and t.project_id = ${project.id}::uuid ${ofRole} and ${
      claimable(ctx)
    }
      order by t.sequence limit 1`,
  ]);
  if (!task) throw new AppError("not_found", "No task of this ticket can be claimed at the moment");
  return task;
}
