import { v7 as uuid } from "uuid";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext, Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { hashPassword } from "../core/passwords.ts";
import { hashToken, newOpaqueToken } from "../core/tokens.ts";
import { emailConflict, refuseHigherRole, userColumns } from "./_rows.ts";
import type { CreatedUser, CreateUser, User } from "./schema.ts";

const INVITE_DAYS = 7;

/** Adds a person or bot to an account; without a password they get a one-time link to set one. */
export async function createUser(ctx: ActorContext, input: CreateUser): Promise<CreatedUser> {
  refuseHigherRole(ctx.actor, input.role);
  const accountId = input.account_id ?? ctx.actor.user.account_id;
  if (accountId !== ctx.actor.user.account_id && ctx.actor.user.role !== "super_admin") {
    throw new AppError("forbidden", "Only a super admin may add users to another account");
  }
  const passwordHash = input.password ? await hashPassword(input.password) : null;
  return await transact(ctx, async (ctx) => {
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
      details: { email: user.email, kind: user.kind, role: user.role },
    });
    return { ...user, invite_url: passwordHash || input.kind === "bot" ? null : await invite(ctx, user.id) };
  }).catch((error: unknown) => {
    throw emailConflict(error, input.email);
  });
}

async function invite(ctx: Context, userId: string): Promise<string> {
  const token = newOpaqueToken();
  await ctx.db`
    insert into invitations (token_hash, user_id, expires_at)
    values (${hashToken(token)}, ${userId}::uuid, now() + make_interval(days => ${INVITE_DAYS}))`;
  return `${ctx.config.PUBLIC_URL}/invite#${token}`;
}
