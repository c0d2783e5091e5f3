import { v7 as uuid } from "uuid";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/transact.ts";
import { parseText } from "../tickets/resolve_text.ts";
import { requirePlace } from "./_rights.ts";
import { lockOwner, placeView, viewColumns } from "./_rows.ts";
import { type CreateView, MAX_VIEWS, type View } from "./schema.ts";

/**
 * Saves a view of the caller.
 * @throws {AppError} invalid_request for a query that can't be read, or a shared view of all projects;
 * forbidden without the right to read the project, or to write in it for a shared view; conflict past
 * 200 views
 */
export async function createView(ctx: ActorContext, input: CreateView): Promise<View> {
  const { name, project_id, shared, query, layout, group_by, sort, place } = input;
  parseText("query", query);
  await requirePlace(ctx, project_id, shared);
  return await transact(ctx, async (ctx) => {
    const { db, actor: { user } } = ctx;
    await lockOwner(ctx);
    const id = uuid();
    const { count } = await db`
      insert into views (id, project_id, owner_user_id, shared, name, query, layout, group_by, sort)
      select ${id}::uuid, ${project_id}::uuid, ${user.id}::uuid, ${shared}, ${name}, ${query}, ${layout}, ${group_by}, ${sort}
      where (select count(*) from views where owner_user_id = ${user.id}::uuid) < ${MAX_VIEWS}`;
    if (count === 0) throw new AppError("conflict", `A person may have at most ${MAX_VIEWS} views`);
    if (place !== null) await placeView(ctx, id, place);
    const [view] = await db<[View]>`select ${viewColumns(ctx)} from views v where v.id = ${id}::uuid`;
    return view;
  });
}
