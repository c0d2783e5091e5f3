import type { ActorContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { lockView, requireOwner } from "./_rights.ts";
import type { ViewPath } from "./schema.ts";

/** Deletes a view, also out of everybody's sidebar. @throws {AppError} not_found; forbidden for a view of somebody else */
export async function deleteView(ctx: ActorContext, { viewId }: ViewPath): Promise<void> {
  await transact(ctx, async (ctx) => {
    await requireOwner(ctx, await lockView(ctx, { viewId }), "delete");
    await ctx.db`delete from views where id = ${viewId}::uuid`;
  });
}
