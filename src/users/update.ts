import { recordAudit } from "../core/audit.ts";
import type { ActorContext, Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { emailConflict, refuseHigherRole, userColumns, visibleAccount } from "./_rows.ts";
import type { UpdateUser, User } from "./schema.ts";

/** Changes a user. Who is deactivated loses every session; the installation always keeps one active super admin. */
export async function updateUser(ctx: ActorContext, input: UpdateUser): Promise<User> {
  refuseHigherRole(ctx.actor, input.role);
  const user = await transact(ctx, async (ctx) => {
    const before = await lockUser(ctx, input.id);
    refuseHigherRole(ctx.actor, before.role);
    const losesRole = input.role !== undefined && input.role !== "super_admin";
    if (before.role === "super_admin" && (losesRole || input.deactivated)) {
      await keepOneSuperAdmin(ctx, input.id);
    }
    const [after] = await ctx.db<[User]>`
      update users set email = coalesce(${input.email ?? null}, email), name = coalesce(${
      input.name ?? null
    }, name),
        kind = coalesce(${input.kind ?? null}, kind), role = coalesce(${input.role ?? null}, role),
        deactivated_at = case ${
      input.deactivated ?? null
    }::boolean when true then coalesce(deactivated_at, now())
          when false then null else deactivated_at end,
        updated_at = now()
      where id = ${input.id}::uuid
      returning ${userColumns(ctx.db)}`;
    if (input.deactivated) await endSessions(ctx, input.id);
    const { id: _, ...changes } = input;
    await recordAudit(ctx, {
      account_id: after.account_id,
      action: input.deactivated ? "user.deactivated" : "user.updated",
      target_type: "user",
      target_id: after.id,
      details: changes,
    });
    return after;
  }).catch((error: unknown) => {
    throw emailConflict(error, input.email);
  });
  ctx.access.clear();
  return user;
}

async function lockUser(ctx: ActorContext, id: string): Promise<User> {
  const account = visibleAccount(ctx.actor);
  const [user] = await ctx.db<User[]>`
    select ${userColumns(ctx.db)} from users
    where id = ${id}::uuid and (${account}::uuid is null or account_id = ${account}::uuid) for update`;
  if (!user) throw new AppError("not_found", "No such user");
  return user;
}

async function keepOneSuperAdmin(ctx: Context, leaving: string): Promise<void> {
  // Locked in id order, so that two super admins who leave at once can't both pass.
  const active = await ctx.db<{ id: string }[]>`
    select id from users where role = 'super_admin' and deactivated_at is null order by id for update`;
  if (active.every(({ id }) => id === leaving)) {
    throw new AppError("conflict", "The last active super admin cannot be deactivated or lose the role");
  }
}

async function endSessions(ctx: Context, userId: string): Promise<void> {
  await ctx.db`update sessions set revoked_at = now() where user_id = ${userId}::uuid and revoked_at is null`;
}
