import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { makeInvitation } from "./_invite.ts";
import { findManagedUser } from "./managed.ts";
import type { Invitation } from "./schema.ts";

/**
 * A new one-time link, for whoever let the first one expire or forgot their password.
 * @throws {AppError} not_found; forbidden for a super admin; conflict for bots and who is deactivated
 */
export async function inviteUser(ctx: ActorContext, input: { id: string }): Promise<Invitation> {
  return await transact(ctx, async (ctx) => {
    const user = await findManagedUser(ctx, input.id);
    if (user.kind === "bot") throw new AppError("conflict", "A bot has no password: give it an API key");
    if (user.deactivated_at !== null) throw new AppError("conflict", "The user is deactivated");
    await recordAudit(ctx, {
      account_id: user.account_id,
      action: "user.invited",
      target_type: "user",
      target_id: user.id,
    });
    return await makeInvitation(ctx, user.id);
  });
}
