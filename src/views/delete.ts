import type { ActorContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { requireOwner } from "./_rights.ts";
import { lockView } from "./_rows.ts";
import { getView } from "./get.ts";
import type { ViewPath } from "./schema.ts";

/** Deletes a view, also out of everybody's sidebar. @throws {AppError} not_found; forbidden for a view of somebody else */
export async function deleteView(ctx: ActorContext, { viewId }: ViewPath): Promise<void> {
  await requireOwner(ctx, await getView(ctx, { viewId }), "delete");
  await transact(ctx, async (ctx) => {
    await lockView(ctx, viewId);
    await ctx.db`delete from views where id = ${viewId}::uuid`;
  });
}
