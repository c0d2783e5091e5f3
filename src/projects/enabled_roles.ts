import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";

/** @throws {AppError} invalid_request for a role that the account has switched off; `path` is where the list stands */
export function refuseDisabledRoles(ctx: ProjectContext, roles: readonly string[], path = "roles"): void {
  const index = roles.findIndex((role) => ctx.project.disabled_roles.includes(role));
  if (index >= 0) {
    throw invalidField(`${path}.${index}`, `The role ${roles[index]} is disabled for this account`);
  }
}
