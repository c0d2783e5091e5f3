import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import { Role } from "../core/schema.ts";
import { transact } from "../core/transact.ts";
import { accountGone, settingsOf } from "./_role_settings.ts";
import type { PutRoleSettings, RoleSettings } from "./schema.ts";

/**
 * Switches roles on and off. Roles that are not named stay as they are. Tickets and tasks that have
 * a role keep it.
 * @throws {AppError} invalid_request if no role would stay enabled; not_found if the account is
 * gone
 */
export async function putRoleSettings(ctx: ActorContext, input: PutRoleSettings): Promise<RoleSettings> {
  const accountId = ctx.actor.user.account_id;
  return await transact(ctx, async (ctx) => {
    // The account is locked first. The second of two simultaneous calls must see which roles the
    // first left enabled.
    const [account] = await ctx.db<{ disabled_roles: string[] }[]>`
      select disabled_roles from accounts where id = ${accountId}::uuid for no key update`;
    if (!account) throw accountGone();
    const disabled = new Set(account.disabled_roles);
    for (const { role, enabled } of input.roles) {
      if (enabled) disabled.delete(role);
      else disabled.add(role);
    }
    if (disabled.size === Role.options.length) {
      throw invalidField("roles", "At least one role must stay enabled");
    }
    const changes = input.roles.some(({ role, enabled }) =>
      account.disabled_roles.includes(role) === enabled
    );
    if (!changes) return settingsOf(account.disabled_roles);
    await ctx.db`
      update accounts set disabled_roles = ${[...disabled].toSorted()}::text[], updated_at = now()
      where id = ${accountId}::uuid`;
    forgetAccess(ctx);
    await recordAudit(ctx, {
      account_id: accountId,
      action: "account.roles_put",
      target_type: "account",
      target_id: accountId,
      details: { roles: input.roles },
    });
    return settingsOf([...disabled]);
  });
}
