import { z } from "zod";
import { Id, IdPath, line, NextCursor, Role, Timestamp } from "../core/schema.ts";

export const Slug = z.string().regex(
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
  "Expected 1 to 63 lower-case letters, digits and inner hyphens",
);

export const Account = z.object({
  id: Id,
  name: z.string(),
  slug: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Account" });
export type Account = z.infer<typeof Account>;

export const CreateAccount = z.strictObject({ name: line(1, 120), slug: Slug });
export type CreateAccount = z.infer<typeof CreateAccount>;

export const UpdateAccount = IdPath.extend({ name: line(1, 120).optional(), slug: Slug.optional() });
export type UpdateAccount = z.infer<typeof UpdateAccount>;

export const AccountList = z.object({ accounts: z.array(Account), next_cursor: NextCursor });

const RoleSetting = z.strictObject({ role: Role, enabled: z.boolean() });

export const RoleSettings = z.object({
  roles: z.array(RoleSetting).describe("All six roles, in a fixed order"),
}).meta({ id: "RoleSettings" });
export type RoleSettings = z.infer<typeof RoleSettings>;

export const PutRoleSettings = z.strictObject({
  roles: z.array(RoleSetting).min(1, "Must name at least one role").max(Role.options.length).refine(
    (roles) => new Set(roles.map(({ role }) => role)).size === roles.length,
    "Names a role twice",
  ).describe("Roles that the call does not name stay as they are; at least one role must stay enabled"),
});
export type PutRoleSettings = z.infer<typeof PutRoleSettings>;
