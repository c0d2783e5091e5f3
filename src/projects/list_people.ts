import { roleInProject } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { wordBegins } from "../core/word_begins.ts";
import type { ListPeople, Person } from "./schema.ts";

/**
 * Returns the people of the project's account who have a role in the project, including admins of
 * the account. Deactivated users are among them, because their ids are in the records of their
 * work.
 */
export async function listPeople({ db, project, actor }: ProjectContext, input: ListPeople) {
  // Two people of one name are told apart by their addresses where somebody mentions them.
  const seesEmails = project.role !== "viewer" && actor.credential.type === "session";
  const { limit, cursor, q, email = null, user_id = null, deactivated = null } = input;
  const role = roleInProject(db);
  const rows = await db<Person[]>`
    select u.id, u.name, u.email, u.kind, ${role} as role, u.deactivated_at
    from projects p join users u on u.account_id = p.account_id
      left join project_members m on m.project_id = p.id and m.user_id = u.id
    where p.id = ${project.id}::uuid and ${role} is not null
      and ${wordBegins(db, db`u.name`, q)}
      and (${email}::text is null or lower(u.email) = lower(${email}))
      and (${user_id}::uuid is null or u.id = ${user_id}::uuid)
      and (${deactivated}::boolean is null or (u.deactivated_at is not null) = ${deactivated}::boolean)
      ${afterId(db, "u.id", cursor)}
    order by u.id limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { people: items.map((one) => seesEmails ? one : { ...one, email: null }), next_cursor };
}
