import type { ProjectAccess } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";

/** The facts about a project's account, which may be a moment old. */
interface Enabling {
  project: Pick<ProjectAccess, "disabled_roles">;
}

/** @throws {AppError} invalid_request for a role that the account has switched off */
export function refuseDisabledRoles(ctx: Enabling, roles: readonly string[]): void {
  roles.forEach((role, index) => refuseDisabledRole(ctx, role, `roles.${index}`));
}

/** Checks a single role. */
export function refuseDisabledRole(ctx: Enabling, role: string, path = "role"): void {
  if (!ctx.project.disabled_roles.includes(role)) return;
  throw invalidField(path, `The role ${role} is disabled for this account`);
}
