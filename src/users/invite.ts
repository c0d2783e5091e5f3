import { requirePerson, requireStanding } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext, Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { IdPath } from "../core/schema.ts";
import { transact } from "../core/transact.ts";
import { byEmail } from "./by_email.ts";
import { mailInvite } from "./invite_mail.ts";
import { makeInvitation } from "./invitations.ts";
import { findManagedUser } from "./managed.ts";
import type { Invitation, User } from "./schema.ts";

/**
 * Makes a new one-time link, for a user whose first link expired or who forgot the password.
 * @throws {AppError} not_found; forbidden for a super admin, and for a bot client, because the link
 * signs in as that person; conflict for a deactivated user
 */
export async function inviteUser(ctx: ActorContext, input: IdPath): Promise<Invitation> {
  return await transact(ctx, async (ctx) => {
    // Because of the lock, a user who is deactivated or promoted at this moment doesn't get a link.
    // If several links are made at once, the last one works.
    await ctx.db`
      select from users where id in (${input.id}::uuid, ${ctx.actor.user.id}::uuid) order by id for no key update`;
    await requireStanding(ctx);
    const user = await findManagedUser(ctx, input.id);
    if (user.kind === "human") requirePerson(ctx.actor, "A bot client may invite only bots");
    const invitation = await invite(ctx, user);
    await mailInvite(ctx, user.id, invitation.invite_url);
    return invitation;
  });
}

/**
 * Makes a link for the operator of the installation, who has access to its database. With this
 * link, a super admin whom nobody else may invite can sign in again.
 * @throws {AppError} not_found; conflict for a deactivated user
 */
export async function inviteByEmail(ctx: Context, email: string): Promise<Invitation> {
  return await transact(ctx, async (ctx) => {
    const [user] = await ctx.db<Invited[]>`
      select id, account_id, deactivated_at from users where ${byEmail(ctx.db, email)} for no key update`;
    if (!user) throw new AppError("not_found", `No user has the email ${email}`);
    return await invite(ctx, user);
  });
}

type Invited = Pick<User, "id" | "account_id" | "deactivated_at">;

async function invite(ctx: Context, user: Invited): Promise<Invitation> {
  if (user.deactivated_at !== null) throw new AppError("conflict", "The user is deactivated");
  await recordAudit(ctx, {
    account_id: user.account_id,
    action: "user.invited",
    target_type: "user",
    target_id: user.id,
  });
  return await makeInvitation(ctx, user.id);
}
