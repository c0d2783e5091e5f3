import { roleInProject } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { wordBegins } from "../core/word_begins.ts";
import type { Candidate, ListCandidates } from "./schema.ts";

/** Returns active users of the project's account who have no role in the project yet. */
export async function listCandidates({ db, project }: ProjectContext, input: ListCandidates) {
  const { limit, cursor, q } = input;
  const rows = await db<Candidate[]>`
    select u.id, u.name, u.email, u.kind
    from projects p join users u on u.account_id = p.account_id
      left join project_members m on m.project_id = p.id and m.user_id = u.id
    where p.id = ${project.id}::uuid and ${roleInProject(db)} is null and u.deactivated_at is null
      and ${wordBegins(db, db`u.name || ' ' || u.email`, q)}
      ${afterId(db, "u.id", cursor)}
    order by u.id limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { candidates: items, next_cursor };
}
