import type { ProjectContext } from "../core/context.ts";
import { labelColumns } from "./_rows.ts";
import type { Label } from "./schema.ts";

/** Returns the project's labels by name. Deleted labels come too if `deleted` asks for them. */
export async function listLabels(
  { db, project }: ProjectContext,
  { deleted = false }: { deleted?: boolean | undefined },
) {
  const labels = await db<Label[]>`
    select ${labelColumns(db)} from labels l
    where l.project_id = ${project.id}::uuid and (${deleted} or l.deleted_at is null)
    order by l.name_key, l.id`;
  return { labels, next_cursor: null };
}
