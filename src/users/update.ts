import { freeWork } from "../assignments/free_work.ts";
import { requirePerson, requireStanding } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import { changedFields } from "../core/changed_fields.ts";
import type { ActorContext, Context } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { forgetAccess } from "../core/forget_access.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { emailConflict, refuseHigherRole, userColumns } from "./_rows.ts";
import { getUser } from "./get.ts";
import { voidInvitations } from "./invitations.ts";
import type { UpdateUser, User } from "./schema.ts";

/**
 * A change of one of these voids invitation links, so that an old link doesn't open the changed
 * user.
 */
const STANDING = ["email", "kind", "role", "deactivated_at"] as const;

/**
 * Changes a user. A deactivated user loses every session, key and code-hosting token. The
 * installation always keeps one active super admin who is a person.
 * @throws {AppError} forbidden for a bot client that decides who is a person
 */
export async function updateUser(ctx: ActorContext, input: UpdateUser): Promise<User> {
  refuseHigherRole(ctx.actor, input.role);
  if (input.kind) requirePerson(ctx.actor, "A bot client may not turn a bot into a person");
  return await transact(ctx, async (ctx) => {
    const [, , before] = await inOrder(
      lockUsers(ctx, input),
      requireStanding(ctx),
      getUser(ctx, input),
    );
    refuseHigherRole(ctx.actor, before.role);
    if (changesNothing(before, input)) return before;
    const after = await writeUser(ctx, input);
    forgetAccess(ctx);
    if (mayLeave(input)) await keepOneAdmin(ctx, before);
    const isOther = (field: keyof User) => before[field] !== after[field];
    if (isOther("role") || isOther("deactivated_at")) await freeWork(ctx, input.id);
    if (isOther("deactivated_at")) await endCredentials(ctx, input.id);
    if (STANDING.some(isOther)) await voidInvitations(ctx, input.id);
    const { id: _, ...changes } = input;
    const leaves = before.deactivated_at === null && after.deactivated_at !== null;
    await recordAudit(ctx, {
      account_id: after.account_id,
      action: leaves ? "user.deactivated" : "user.updated",
      target_type: "user",
      target_id: after.id,
      details: changes,
    });
    return after;
  }).catch((error: unknown) => {
    throw emailConflict(ctx, error, input.email);
  });
}

function changesNothing(before: User, { id: _, deactivated, ...fields }: UpdateUser): boolean {
  const stays = deactivated === undefined || deactivated === (before.deactivated_at !== null);
  return stays && Object.keys(changedFields(before, fields)).length === 0;
}

/**
 * Tells whether the change may remove an admin: by deactivation, as a bot, or with another role.
 */
function mayLeave({ kind, role, deactivated }: UpdateUser): boolean {
  return deactivated === true || kind === "bot" || (role !== undefined && role !== "super_admin");
}

/**
 * Locks the user and the caller. If an admin may leave, it also locks all admins who could stay in
 * their place. The locks are taken in id order, so that several admins who leave at once come one
 * by one. They let rows refer to the users, because a change of a ticket does that behind its own
 * locks.
 */
async function lockUsers({ db, actor }: ActorContext, input: UpdateUser): Promise<void> {
  await db`
    select from users
    where id in (${input.id}::uuid, ${actor.user.id}::uuid) or (${
    mayLeave(input)
  } and deactivated_at is null and
      (role = 'super_admin' or (role = 'admin' and account_id = ${actor.user.account_id}::uuid)))
    order by id for no key update`;
}

/**
 * Keeps a super admin for the installation and an admin for an account. Only a super admin may
 * remove the last admin of an account, because a super admin can add another one.
 */
async function keepOneAdmin({ db, actor }: ActorContext, before: User): Promise<void> {
  const anywhere = before.role === "super_admin";
  const ofAccount = before.role === "admin" && before.kind === "human" && actor.user.role !== "super_admin";
  if (!anywhere && !ofAccount) return;
  const [rest] = await db<[{ stays: boolean }]>`
    select exists (
      select from users where role in ('super_admin', ${before.role}) and kind = 'human' and deactivated_at is null
        and (${anywhere} or account_id = ${before.account_id}::uuid)
    ) as stays`;
  if (rest.stays) return;
  const last = anywhere ? "super admin" : "admin of an account";
  throw new AppError(
    "conflict",
    `The last active ${last} who is a person cannot be deactivated, become a bot or lose the role`,
  );
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

/**
 * Ends a user's credentials. This is also done on reactivation, so that an older key doesn't work
 * any more. Neither does a key that was being created during the deactivation.
 */
async function endCredentials({ db }: Context, userId: string): Promise<void> {
  await Promise.all([
    db`update sessions set revoked_at = now() where user_id = ${userId}::uuid and revoked_at is null`,
    db`update api_keys set revoked_at = now() where user_id = ${userId}::uuid and revoked_at is null`,
    db`delete from code_hosting_accounts where user_id = ${userId}::uuid`,
  ]);
}
