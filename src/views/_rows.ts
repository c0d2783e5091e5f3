import { visibleProjects } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { MAX_PINS } from "./schema.ts";

/** The columns of a View for `views v`, with its place in the caller's sidebar. */
export function viewColumns({ db, actor }: ActorContext) {
  return db`v.id, v.project_id, v.owner_user_id, v.shared, v.name, v.query, v.layout, v.group_by, v.sort, (
      select p.place from view_pins p where p.view_id = v.id and p.user_id = ${actor.user.id}::uuid) as place,
    v.created_at, v.updated_at`;
}

/**
 * Narrows `views v` to those that the caller reads: their own and the shared ones of the projects that
 * they see. A view of a project that somebody doesn't see any more isn't shown to its owner either.
 */
export function isReadable({ db, actor }: ActorContext) {
  const { user, credential } = actor;
  const everywhere = credential.type === "key" && credential.project_id !== null
    ? db`false`
    : db`v.project_id is null`;
  return db`(v.owner_user_id = ${user.id}::uuid or v.shared)
    and (${everywhere} or v.project_id in ${visibleProjects(db, actor)})`;
}

export function noSuchView(): AppError {
  return new AppError("not_found", "No such view");
}

/** Locks a view that the caller still reads, so that it stays until the end. @throws {AppError} not_found */
export async function lockView(ctx: ActorContext, viewId: string): Promise<void> {
  const { count } = await ctx.db`
    select from views v where v.id = ${viewId}::uuid and ${isReadable(ctx)} for update`;
  if (count === 0) throw noSuchView();
}

/** Locks the caller, so that two calls at once don't pass a bound together. */
export async function lockOwner({ db, actor }: ActorContext): Promise<void> {
  await db`select from users where id = ${actor.user.id}::uuid for no key update`;
}

/**
 * Puts a view at a place of the caller's sidebar, or takes it out with null. Call it behind `lockOwner`.
 * @throws {AppError} conflict when the sidebar is full
 */
export async function placeView(ctx: ActorContext, viewId: string, place: number | null): Promise<void> {
  const { db, actor: { user } } = ctx;
  if (place === null) {
    await db`delete from view_pins where user_id = ${user.id}::uuid and view_id = ${viewId}::uuid`;
    return;
  }
  const { count } = await db`
    insert into view_pins (user_id, view_id, place)
    select ${user.id}::uuid, ${viewId}::uuid, ${place}
    where (select count(*) from view_pins where user_id = ${user.id}::uuid and view_id <> ${viewId}::uuid) < ${MAX_PINS}
    on conflict (user_id, view_id) do update set place = excluded.place`;
  if (count === 0) throw new AppError("conflict", `A sidebar may have at most ${MAX_PINS} views`);
}
