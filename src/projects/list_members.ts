import { hasScope } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import type { IdPage } from "../core/schema.ts";
import { memberColumns } from "./_members.ts";
import type { Member } from "./schema.ts";

/**
 * Returns one page of the people with a role of their own in the project. Account admins have a
 * role without being listed.
 */
export async function listMembers(ctx: ProjectContext, { limit, cursor }: IdPage) {
  const { db, actor, project } = ctx;
  const seesEmails = project.role === "admin" && hasScope(actor, "admin");
  const rows = await db<Member[]>`
    select ${memberColumns(db)} from project_members m join users u on u.id = m.user_id
    where m.project_id = ${project.id}::uuid ${afterId(db, "m.user_id", cursor)}
    order by m.user_id limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(rows, limit, ({ user_id }) => [user_id]);
  return { members: items.map((one) => seesEmails ? one : { ...one, email: null }), next_cursor };
}
