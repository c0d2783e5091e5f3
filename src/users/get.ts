import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { IdPath } from "../core/schema.ts";
import { userColumns } from "./_rows.ts";
import type { User } from "./schema.ts";

export async function getUser(ctx: ActorContext, input: IdPath): Promise<User> {
  const { role, account_id } = ctx.actor.user;
  const [user] = await ctx.db<User[]>`
    select ${userColumns(ctx.db)} from users
    where id = ${input.id}::uuid and (${role} = 'super_admin' or account_id = ${account_id}::uuid)`;
  if (!user) throw new AppError("not_found", "No such user");
  return user;
}
