import type { ProjectContext } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import { transact } from "../core/transact.ts";
import { noSuchColumn, recordColumn } from "./_rows.ts";
import { isInColumn } from "./in_column.ts";
import type { BoardColumn, ColumnPath } from "./schema.ts";

/**
 * Deletes a column, and moves its tickets to the first column that is left in the stage. A call that
 * moves a ticket into the column at the same moment either comes first, or finds the column deleted.
 * @throws {AppError} not_found
 */
export async function deleteColumn(ctx: ProjectContext, { columnId }: ColumnPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    const columns = await db<Pick<BoardColumn, "id">[]>`
      select id from board_columns where project_id = ${project.id}::uuid and open_stage = (
        select open_stage from board_columns where id = ${columnId}::uuid and project_id = ${project.id}::uuid)
      order by position, id for update`;
    if (!columns.some(({ id }) => id === columnId)) throw noSuchColumn();
    const left = columns.find(({ id }) => id !== columnId)?.id ?? null;
    await db`
      with held as materialized (
        select id from tickets where id in (
          select t.id from board_columns c join tickets t on ${isInColumn(db)} where c.id = ${columnId}::uuid)
        order by id for update
      )
      update tickets t set column_id = ${left}::uuid, ${newVersion(db, "t")} from held h
      where t.id = h.id and t.column_id is distinct from ${left}::uuid`;
    await db`
      update board_columns set deleted_at = clock_timestamp(), updated_at = clock_timestamp()
      where id = ${columnId}::uuid`;
    await recordColumn(ctx, "deleted", columnId);
  });
}
