import type { Fragment } from "../../db/open.ts";
import type { ActorContext } from "../core/context.ts";
import { refuseHigherRole } from "./_rows.ts";
import { getUser } from "./get.ts";
import type { User } from "./schema.ts";

/**
 * Returns a user whose credentials the caller may manage.
 * @throws {AppError} not_found, forbidden
 */
export async function findManagedUser(ctx: ActorContext, userId: string): Promise<User> {
  const user = await getUser(ctx, { id: userId });
  refuseHigherRole(ctx.actor, user.role);
  return user;
}

/** Returns the id of the named user, or the caller's own if none is named. */
export async function managedUserId(ctx: ActorContext, named: string | undefined): Promise<string> {
  return named === undefined ? ctx.actor.user.id : (await findManagedUser(ctx, named)).id;
}

/** The same as a condition on `users u`. All users may manage their own credentials. */
export function isManaged({ db, actor: { user } }: ActorContext): Fragment {
  return db`(u.id = ${user.id}::uuid or ${user.role} = 'super_admin'
    or (${user.role} = 'admin' and u.account_id = ${user.account_id}::uuid and u.role <> 'super_admin'))`;
}
