import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";

/**
 * Locks a ticket of the project until the transaction ends. Whatever changes a ticket's roles, tasks or test cases
 * does this first, so that the gates and they never pass each other unseen.
 * @throws {AppError} not_found
 */
export async function lockTicket(ctx: ProjectContext, ticketId: string): Promise<void> {
  const locked = await ctx.db`
    select from tickets where id = ${ticketId}::uuid and project_id = ${ctx.project.id}::uuid for update`;
  if (locked.count === 0) throw noSuchTicket();
}

export function noSuchTicket(): AppError {
  return new AppError("not_found", "No such ticket in this project");
}
