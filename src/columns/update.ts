import type { ProjectContext } from "../core/context.ts";
import { nameKey } from "../core/names.ts";
import { transact } from "../core/transact.ts";
import { columnConflict, columnFields, columnOfRow, noSuchColumn, recordColumn } from "./_rows.ts";
import type { BoardColumn, UpdateColumn } from "./schema.ts";

/** Changes a column's name or limit. @throws {AppError} not_found; conflict for a known name */
export async function updateColumn(ctx: ProjectContext, input: UpdateColumn): Promise<BoardColumn> {
  const { id: _, columnId, ...changes } = input;
  const { name, wip_limit } = changes;
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    const fields: Record<string, unknown> = {
      ...(name !== undefined && { name, name_key: nameKey(name) }),
      ...(wip_limit !== undefined && { wip_limit }),
      updated_at: db`clock_timestamp()`,
    };
    const [column] = await db<BoardColumn[]>`
      update board_columns c set ${db(fields)}
      where c.id = ${columnId}::uuid and c.project_id = ${project.id}::uuid and c.deleted_at is null
      returning ${columnFields(db)}`;
    if (!column) throw noSuchColumn();
    await recordColumn(ctx, "updated", columnId, changes);
    return columnOfRow(column);
  }).catch((error: unknown) => {
    throw columnConflict(error);
  });
}
