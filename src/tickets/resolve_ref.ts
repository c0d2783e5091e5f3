import type { ProjectContext } from "../core/context.ts";
import { noSuchTicket } from "./lock.ts";

/**
 * The id of the project's ticket that a ref such as HO-12 names, in either case, with the project's key or a former one.
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
