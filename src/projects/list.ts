import type { ActorContext } from "../core/context.ts";
import { decodeCursor, page } from "../core/cursor.ts";
import { projectColumns } from "./_rows.ts";
import type { ListProjects, Project } from "./schema.ts";

/** The projects that the caller may see, oldest first; archived ones only when asked for. */
export async function listProjects(ctx: ActorContext, input: ListProjects) {
  const { user, credential } = ctx.actor;
  const bound = credential.type === "key" ? credential.project_id : null;
  const after = input.cursor ? String(decodeCursor(input.cursor, ["id"])[0]) : null;
  const rows = await ctx.db<Project[]>`
    select ${projectColumns(ctx.db)} from projects p
    where (${user.role === "super_admin"} or (${
    user.role === "admin"
  } and p.account_id = ${user.account_id}::uuid)
        or exists (select from project_members m where m.project_id = p.id and m.user_id = ${user.id}::uuid))
      and (${bound}::uuid is null or p.id = ${bound}::uuid)
      and (p.archived_at is not null) = ${input.archived ?? false}
      and (${after}::uuid is null or p.id > ${after}::uuid)
    order by p.id limit ${input.limit + 1}`;
  const { items, next_cursor } = page(rows, input.limit, (row) => [row.id]);
  return { projects: items, next_cursor };
}
