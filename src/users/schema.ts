import { z } from "zod";
import { normalizePassword } from "../core/passwords.ts";
import {
  anyText,
  Email,
  Id,
  IdPath,
  line,
  NextCursor,
  Page,
  queryBoolean,
  Timestamp,
  UserKind,
  UserRole,
} from "../core/schema.ts";

/**
 * The password is long enough to be safe and short enough that hashing it can't be used to load the
 * service.
 */
export const Password = anyText(8, 200)
  // Accents may be separate characters.
  .refine((password) => [...normalizePassword(password)].length >= 8, "Must have 8 to 200 characters");

export const User = z.object({
  id: Id,
  account_id: Id,
  email: z.string(),
  name: z.string(),
  kind: UserKind,
  role: UserRole,
  deactivated_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "User" });
export type User = z.infer<typeof User>;

export const CreateUser = z.strictObject({
  email: Email,
  name: line(1, 120),
  kind: UserKind.default("human"),
  role: UserRole.default("member"),
  password: Password.optional(),
  account_id: Id.optional().describe("An account other than the caller's; for super admins only"),
});
export type CreateUser = z.infer<typeof CreateUser>;

export const CreatedUser = User.extend({
  invite_url: z.string().nullable().describe(
    "One-time link to set the first password; null if the call gave a password",
  ),
});
export type CreatedUser = z.infer<typeof CreatedUser>;

export const Invitation = z.object({
  invite_url: z.string().describe("One-time link to set a password"),
  expires_at: Timestamp,
}).meta({ id: "Invitation" });
export type Invitation = z.infer<typeof Invitation>;

export const UpdateUser = IdPath.extend({
  email: Email.optional(),
  name: line(1, 120).optional(),
  kind: UserKind.optional(),
  role: UserRole.optional(),
  deactivated: z.boolean().optional(),
});
export type UpdateUser = z.infer<typeof UpdateUser>;

export const ListUsers = Page.extend({
  account_id: Id.optional(),
  q: anyText(1, 200).optional().describe("The beginning of a word of the name, or of the email"),
  deactivated: queryBoolean.optional().describe("true: deactivated users only; false: all others"),
});
export type ListUsers = z.infer<typeof ListUsers>;

export const UserList = z.object({ users: z.array(User), next_cursor: NextCursor });

export const AcceptInvite = z.strictObject({ token: z.string().min(1).max(100), password: Password });
export type AcceptInvite = z.infer<typeof AcceptInvite>;
