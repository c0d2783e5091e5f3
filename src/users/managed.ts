import type { Fragment } from "../../db/open.ts";
import type { ActorContext } from "../core/context.ts";
import { refuseHigherRole } from "./_rows.ts";
import { getUser } from "./get.ts";
import type { User } from "./schema.ts";

/** A user over whose credentials the caller has a say. @throws {AppError} not_found, forbidden */
export async function findManagedUser(ctx: ActorContext, userId: string): Promise<User> {
  const user = await getUser(ctx, { id: userId });
  refuseHigherRole(ctx.actor, user.role);
  return user;
}

/** Whose credentials are meant: those of the user that is named, or else the caller's own. */
export async function managedUserId(ctx: ActorContext, named: string | undefined): Promise<string> {
  return named === undefined ? ctx.actor.user.id : (await findManagedUser(ctx, named)).id;
}

/** The same as a condition on `users u`; about their own everyone has a say. */
export function isManaged({ db, actor: { user } }: ActorContext): Fragment {
  return db`(u.id = ${user.id}::uuid or ${user.role} = 'super_admin'
    or (${user.role} = 'admin' and u.account_id = ${user.account_id}::uuid and u.role <> 'super_admin'))`;
}
