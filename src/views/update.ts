import type { ActorContext } from "../core/context.ts";
import { transact } from "../core/transact.ts";
import { parseText } from "../tickets/resolve_text.ts";
import { requireOwner, requirePlace } from "./_rights.ts";
import { lockOwner, lockView, placeView, viewColumns } from "./_rows.ts";
import { getView } from "./get.ts";
import type { UpdateView, View } from "./schema.ts";

/**
 * Changes a view. `place` is the caller's own, so everybody who reads the view may change it.
 * @throws {AppError} not_found; forbidden for a view of somebody else; otherwise as createView
 */
export async function updateView(ctx: ActorContext, input: UpdateView): Promise<View> {
  const { viewId, place, ...changes } = input;
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const before = await getView(ctx, { viewId });
  if (given.length > 0) await requireOwner(ctx, before, "change");
  if (changes.query !== undefined) parseText("query", changes.query);
  if (changes.shared) await requirePlace(ctx, before.project_id, true);
  return await transact(ctx, async (ctx) => {
    const { db } = ctx;
    if (place !== undefined) await lockOwner(ctx);
    await lockView(ctx, viewId);
    if (given.length > 0) {
      const columns: Record<string, unknown> = {
        ...Object.fromEntries(given),
        updated_at: db`clock_timestamp()`,
      };
      await db`update views set ${db(columns)} where id = ${viewId}::uuid`;
    }
    if (place !== undefined) await placeView(ctx, viewId, place);
    const [view] = await db<[View]>`select ${viewColumns(ctx)} from views v where v.id = ${viewId}::uuid`;
    return view;
  });
}
