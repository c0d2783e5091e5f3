import { recordProjectAudit } from "../core/audit.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidRequest } from "../core/errors.ts";
import { recordProjectEvents } from "../core/history.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockProject } from "../projects/lock.ts";
import { listColumns } from "./list.ts";
import type { ReorderColumns } from "./schema.ts";

/**
 * Puts the columns of a stage into the given order.
 * @throws {AppError} invalid_request that names missing and foreign ids
 */
export async function reorderColumns(ctx: ProjectContext, input: ReorderColumns) {
  const { stage, column_ids } = input;
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    const [, columns] = await inOrder(
      lockProject(ctx, project.id),
      db<{ id: string }[]>`
        select id from board_columns where project_id = ${project.id}::uuid and open_stage = ${stage}`,
    );
    const own = new Set(columns.map(({ id }) => id));
    const missing = [...own].filter((id) => !column_ids.includes(id));
    const issues = column_ids.flatMap((id, at) =>
      own.has(id) ? [] : [{ path: `column_ids.${at}`, message: `${id} is not a column of ${stage}` }]
    );
    if (missing.length > 0) issues.push({ path: "column_ids", message: `Lacks ${missing.join(", ")}` });
    if (issues.length > 0) throw invalidRequest(issues);
    const moved = await db<{ id: string }[]>`
      update board_columns c set position = o.place, updated_at = clock_timestamp()
      from unnest(${column_ids}::uuid[]) with ordinality as o (id, place) where c.id = o.id and c.position <> o.place
      returning c.id`;
    if (moved.length > 0) {
      await recordProjectAudit(ctx, {
        action: "column.reordered",
        target_type: "project",
        target_id: project.id,
        details: { stage, column_ids },
      });
      await recordProjectEvents(ctx, { entity: "column", ids: moved.map(({ id }) => id), action: "changed" });
    }
    return await listColumns(ctx, {});
  });
}
