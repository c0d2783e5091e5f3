import type { ProjectContext } from "../core/context.ts";
import { columnFields, columnOfRow } from "./_rows.ts";
import { type BoardColumn, OpenStage } from "./schema.ts";

/** Returns the project's columns in the order of the board. Deleted columns come too if `deleted` asks for them. */
export async function listColumns(
  { db, project }: ProjectContext,
  { deleted = false }: { deleted?: boolean | undefined },
) {
  const columns = await db<BoardColumn[]>`
    select ${columnFields(db)} from board_columns c
    where c.project_id = ${project.id}::uuid and (${deleted} or c.deleted_at is null)
    order by array_position(${OpenStage.options}::text[], c.stage), c.deleted_at nulls first, c.position, c.id`;
  return { columns: columns.map(columnOfRow), next_cursor: null };
}
