import { AppError } from "../core/errors.ts";
import { Role } from "../core/schema.ts";
import type { RoleSettings } from "./schema.ts";

export function settingsOf(disabled: readonly string[]): RoleSettings {
  return { roles: Role.options.map((role) => ({ role, enabled: !disabled.includes(role) })) };
}

export function accountGone(): AppError {
  return new AppError("not_found", "The account is gone");
}
