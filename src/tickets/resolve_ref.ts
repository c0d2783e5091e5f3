import type { ProjectContext } from "../core/context.ts";
import { noSuchTicket } from "./lock.ts";

/**
 * The id of the project's ticket that a ref such as HO-12 names, in either case.
 * @throws {AppError} not_found
 */
export async function resolveRef({ db, project }: ProjectContext, ref: string): Promise<string> {
  const [key, number] = ref.split("-") as [string, string];
  if (key.toUpperCase() !== project.key) throw noSuchTicket();
  const [ticket] = await db<{ id: string }[]>`
    select id from tickets where project_id = ${project.id}::uuid and number = ${Number(number)}`;
  if (!ticket) throw noSuchTicket();
  return ticket.id;
}
