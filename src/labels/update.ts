import type { ProjectContext } from "../core/context.ts";
import { nameKey } from "../core/names.ts";
import { transact } from "../core/transact.ts";
import { labelColumns, labelConflict, noSuchLabel, recordLabel } from "./_rows.ts";
import type { Label, UpdateLabel } from "./schema.ts";

/** Changes a label's name, color or description. @throws {AppError} not_found; conflict for a known name */
export async function updateLabel(ctx: ProjectContext, input: UpdateLabel): Promise<Label> {
  const { id: _, labelId, ...changes } = input;
  const { name = null, color = null, description = null } = changes;
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    const [label] = await db<Label[]>`
      update labels as l set name = coalesce(${name}, name), name_key = coalesce(${
      name === null ? null : nameKey(name)
    }, name_key),
        color = coalesce(${color}, color), description = coalesce(${description}, description), updated_at = clock_timestamp()
      where l.id = ${labelId}::uuid and l.project_id = ${project.id}::uuid and l.deleted_at is null
      returning ${labelColumns(db)}`;
    if (!label) throw noSuchLabel();
    await recordLabel(ctx, "updated", labelId, changes);
    return label;
  }).catch((error: unknown) => {
    throw labelConflict(error);
  });
}
