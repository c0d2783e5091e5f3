import type { ActorContext } from "../core/context.ts";
import { accountGone, settingsOf } from "./_role_settings.ts";
import type { RoleSettings } from "./schema.ts";

/** Returns the roles that the caller's account uses. */
export async function getRoleSettings(ctx: ActorContext): Promise<RoleSettings> {
  const [account] = await ctx.db<{ disabled_roles: string[] }[]>`
    select disabled_roles from accounts where id = ${ctx.actor.user.account_id}::uuid`;
  if (!account) throw accountGone();
  return settingsOf(account.disabled_roles);
}
