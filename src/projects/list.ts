import { projectsFor, roleInProject, withinReach } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { projectColumns } from "./_rows.ts";
import type { ListProjects, Project } from "./schema.ts";

/**
 * Returns the projects that the caller may see, oldest first. Archived ones are included only on
 * request.
 */
export async function listProjects(ctx: ActorContext, input: ListProjects) {
  const { user, credential } = ctx.actor;
  const bound = credential.type === "key" ? credential.project_id : null;
  const role = roleInProject(ctx.db);
  const rows = await ctx.db<Project[]>`
    select ${projectColumns(ctx.db)}, ${role} as my_role from ${projectsFor(ctx.db, user.id)}
    where ${withinReach(ctx.db, user)} and ${role} is not null
      and (${bound}::uuid is null or p.id = ${bound}::uuid)
      and (p.archived_at is not null) = ${input.archived ?? false}
      ${afterId(ctx.db, "p.id", input.cursor)}
    order by p.id limit ${pageLimit(ctx.db, input.limit)}`;
  const { items, next_cursor } = page(rows, input.limit, (row) => [row.id]);
  return { projects: items, next_cursor };
}
