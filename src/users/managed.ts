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
