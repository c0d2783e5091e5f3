import type { ProjectContext } from "../core/context.ts";
import { noSuchTicket } from "./lock.ts";

/**
 * Returns the id of the project's ticket that a ref such as HO-12 names. The ref's case doesn't
 * matter and its key may be a former key of the project.
 * @throws {AppError} not_found
 */
export async function resolveRef({ db, project }: ProjectContext, ref: string): Promise<string> {
  const [key, number] = ref.split("-") as [string, string];
  const [ticket] = await db<{ id: string }[]>`
    select t.id from tickets t join project_keys k on k.project_id = t.project_id
    where t.project_id = ${project.id}::uuid and t.number = ${
    Number(number)
  } and k.key = ${key.toUpperCase()}`;
  if (!ticket) throw noSuchTicket();
  return ticket.id;
}
