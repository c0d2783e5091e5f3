import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { nameKey } from "../core/names.ts";
import { transact } from "../core/transact.ts";
import { lockProject } from "../projects/lock.ts";
import { columnConflict, columnFields, columnOfRow, recordColumn } from "./_rows.ts";
import { type BoardColumn, type CreateColumn, MAX_COLUMNS } from "./schema.ts";

/**
 * Adds a column at the end of a stage. The first one takes over the tickets of the stage, and none of
 * them is written.
 * @throws {AppError} conflict for a known name, or past 50 columns
 */
export async function createColumn(ctx: ProjectContext, input: CreateColumn): Promise<BoardColumn> {
  const { stage, name, wip_limit } = input;
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    await lockProject(ctx, project.id);
    const [made] = await db<BoardColumn[]>`
      insert into board_columns as c (id, project_id, stage, name, name_key, wip_limit, position)
      select ${uuid()}::uuid, ${project.id}::uuid, ${stage}, ${name}, ${nameKey(name)}, ${wip_limit}::integer,
        coalesce(max(position) filter (where stage = ${stage}), 0) + 1
      from board_columns where project_id = ${project.id}::uuid and deleted_at is null
      having count(*) < ${MAX_COLUMNS}
      returning ${columnFields(db)}`;
    if (!made) throw new AppError("conflict", `A project may have at most ${MAX_COLUMNS} columns`);
    await recordColumn(ctx, "created", made.id, { stage, name, wip_limit });
    return columnOfRow(made);
  }).catch((error: unknown) => {
    throw columnConflict(error);
  });
}
