import { requirePerson } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import type { ActorContext, Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { transact } from "../core/history.ts";
import { emailConflict, refuseHigherRole, userColumns, visibleAccount } from "./_rows.ts";
import { voidInvitations } from "./invitations.ts";
import type { UpdateUser, User } from "./schema.ts";

/** A link that somebody kept must not open what the user became by a change of one of these. */
const STANDING = ["email", "kind", "role", "deactivated_at"] as const;

/**
 * Changes a user. Who is deactivated loses every session; the installation always keeps one active super admin.
 * @throws {AppError} forbidden for a bot client that says who is a person
 */
export async function updateUser(ctx: ActorContext, input: UpdateUser): Promise<User> {
  refuseHigherRole(ctx.actor, input.role);
  if (input.kind) requirePerson(ctx.actor, "A bot client may not say who is a person");
  const user = await transact(ctx, async (ctx) => {
    const before = await lockUser(ctx, input);
    refuseHigherRole(ctx.actor, before.role);
    if (changesNothing(before, input)) return before;
    if (before.role === "super_admin" && mayLeave(input)) await keepOneSuperAdmin(ctx, input.id);
    const after = await writeUser(ctx, input);
    if (input.deactivated) await endSessions(ctx, input.id);
    if (STANDING.some((field) => before[field] !== after[field])) await voidInvitations(ctx, input.id);
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

function changesNothing(before: User, { id: _, deactivated, ...fields }: UpdateUser): boolean {
  const stays = deactivated === undefined || deactivated === (before.deactivated_at !== null);
  return stays &&
    Object.entries(fields).every(([name, value]) =>
      value === undefined || value === before[name as keyof User]
    );
}

/** Would a super admin be one no longer? */
function mayLeave({ role, deactivated }: UpdateUser): boolean {
  return deactivated === true || (role !== undefined && role !== "super_admin");
}

/** Who may leave is locked together with every super admin, in id order: those who leave at once come one by one. */
async function lockUser(ctx: ActorContext, input: UpdateUser): Promise<User> {
  const account = visibleAccount(ctx.actor);
  const [, [user]] = await Promise.all([
    ctx.db`
      select from users
      where id = ${input.id}::uuid or (${mayLeave(input)} and role = 'super_admin' and deactivated_at is null)
      order by id for update`,
    ctx.db<User[]>`
      select ${userColumns(ctx.db)} from users
      where id = ${input.id}::uuid and (${account}::uuid is null or account_id = ${account}::uuid)`,
  ]);
  if (!user) throw new AppError("not_found", "No such user");
  return user;
}

async function keepOneSuperAdmin(ctx: Context, leaving: string): Promise<void> {
  const [others] = await ctx.db<{ stay: boolean }[]>`
    select exists (
      select from users where role = 'super_admin' and deactivated_at is null and id <> ${leaving}::uuid
    ) as stay`;
  if (!others?.stay) {
    throw new AppError("conflict", "The last active super admin cannot be deactivated or lose the role");
  }
}

async function writeUser(ctx: Context, input: UpdateUser): Promise<User> {
  const { id, email = null, name = null, kind = null, role = null, deactivated = null } = input;
  const [user] = await ctx.db<[User]>`
    update users set email = coalesce(${email}, email), name = coalesce(${name}, name), kind = coalesce(${kind}, kind),
      role = coalesce(${role}, role), updated_at = now(),
      deactivated_at = case ${deactivated}::boolean when true then coalesce(deactivated_at, now())
        when false then null else deactivated_at end
    where id = ${id}::uuid
    returning ${userColumns(ctx.db)}`;
  return user;
}

async function endSessions(ctx: Context, userId: string): Promise<void> {
  await ctx.db`update sessions set revoked_at = now() where user_id = ${userId}::uuid and revoked_at is null`;
}
