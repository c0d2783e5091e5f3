import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Me } from "./schema.ts";

/** Returns the caller and the caller's account. */
export async function getMe(ctx: ActorContext): Promise<Me> {
  const { account_id, ...user } = ctx.actor.user;
  const [account] = await ctx.db<Me["account"][]>`
    select id, name, slug from accounts where id = ${account_id}::uuid`;
  if (!account) throw new AppError("not_found", "The account is gone");
  return { user, account, account_id };
}
