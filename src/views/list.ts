import type { ActorContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { pageLimit } from "../core/planner.ts";
import { isReadable, viewColumns } from "./_rows.ts";
import type { ListViews, View } from "./schema.ts";

/** Returns the caller's views and those that others share with the caller, oldest first. */
export async function listViews(ctx: ActorContext, { project_id, cursor, limit }: ListViews) {
  const { db } = ctx;
  const rows = await db<View[]>`
    select ${viewColumns(ctx)} from views v
    where ${isReadable(ctx)} ${project_id ? db`and v.project_id = ${project_id}::uuid` : db``} ${
    afterId(db, "v.id", cursor)
  }
    order by v.id limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { views: items, next_cursor };
}
