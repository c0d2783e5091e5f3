import { v7 as uuid } from "uuid";
import { namedAccount, requirePerson, requireStanding } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { hashPassword } from "../core/passwords.ts";
import { transact } from "../core/transact.ts";
import { emailConflict, refuseHigherRole, userColumns } from "./_rows.ts";
import { mailInvite } from "./invite_mail.ts";
import { makeInvitation } from "./invitations.ts";
import type { CreatedUser, CreateUser, User } from "./schema.ts";

/**
 * Adds a person or bot to an account. A person without a password gets a one-time link to set one.
 * @throws {AppError} forbidden for a bot client that adds a person, because it could sign in as
 * that person and approve its own work
 */
export async function createUser(ctx: ActorContext, input: CreateUser): Promise<CreatedUser> {
  refuseHigherRole(ctx.actor, input.role);
  if (input.kind === "human") requirePerson(ctx.actor, "A bot client may add only bots");
  const accountId = namedAccount(ctx.actor, input.account_id, "add users to another account");
  const passwordHash = input.password ? await hashPassword(input.password) : null;
  return await transact(ctx, async (ctx) => {
    await requireStanding(ctx);
    const [user] = await ctx.db<User[]>`
      insert into users (id, account_id, email, name, kind, role, password_hash)
      select ${uuid()}::uuid, a.id, ${input.email}, ${input.name}, ${input.kind}, ${input.role}, ${passwordHash}
      from accounts a where a.id = ${accountId}::uuid
      returning ${userColumns(ctx.db)}`;
    if (!user) throw new AppError("not_found", "No such account");
    await recordAudit(ctx, {
      account_id: accountId,
      action: "user.created",
      target_type: "user",
      target_id: user.id,
      details: { email: user.email, name: user.name, kind: user.kind, role: user.role },
    });
    if (passwordHash) return { ...user, invite_url: null };
    const { invite_url } = await makeInvitation(ctx, user.id);
    await mailInvite(ctx, user.id, invite_url);
    return { ...user, invite_url };
  }).catch((error: unknown) => {
    throw emailConflict(ctx, error, input.email);
  });
}
