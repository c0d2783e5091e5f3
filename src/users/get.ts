import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { IdPath } from "../core/schema.ts";
import { userColumns, visibleAccount } from "./_rows.ts";
import type { User } from "./schema.ts";

export async function getUser(ctx: ActorContext, input: IdPath): Promise<User> {
  const account = visibleAccount(ctx.actor);
  const [user] = await ctx.db<User[]>`
    select ${userColumns(ctx.db)} from users
    where id = ${input.id}::uuid and (${account}::uuid is null or account_id = ${account}::uuid)`;
  if (!user) throw new AppError("not_found", "No such user");
  return user;
}
