import type { ActorContext } from "../core/context.ts";
import { isReadable, noSuchView, viewColumns } from "./_rows.ts";
import type { View, ViewPath } from "./schema.ts";

/** @throws {AppError} not_found */
export async function getView(ctx: ActorContext, { viewId }: ViewPath): Promise<View> {
  const [view] = await ctx.db<View[]>`
    select ${viewColumns(ctx)} from views v where v.id = ${viewId}::uuid and ${isReadable(ctx)}`;
  if (!view) throw noSuchView();
  return view;
}
