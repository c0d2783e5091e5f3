import { z } from "zod";
import { anyText, Id, NextCursor, Timestamp, UserKind, UserRole } from "../core/schema.ts";
import { Password } from "../users/schema.ts";

/**
 * A refresh token ends after this time without use. Its session ends `ABSOLUTE_DAYS` after the
 * sign-in.
 */
export const IDLE_DAYS = 30;
export const ABSOLUTE_DAYS = 90;

export const TokenPair = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.int().describe("Seconds until the access token expires"),
}).meta({ id: "TokenPair" });
export type TokenPair = z.infer<typeof TokenPair>;

export const Login = z.strictObject({
  // The address is trimmed, because a phone's keyboard adds a blank to the address that it
  // proposes.
  email: anyText(1, 254).trim(),
  password: z.string().min(1).max(1000),
});
export type Login = z.infer<typeof Login>;

export const Refresh = z.strictObject({ refresh_token: z.string().min(1).max(200) });
export type Refresh = z.infer<typeof Refresh>;

export const ChangePassword = z.strictObject({
  current_password: z.string().min(1).max(1000),
  new_password: Password,
  revoke_keys: z.boolean().default(false).describe("Also revokes every API key of the caller"),
});
export type ChangePassword = z.infer<typeof ChangePassword>;

export const Me = z.object({
  user: z.object({ id: Id, email: z.string(), name: z.string(), kind: UserKind, role: UserRole }),
  account: z.object({ id: Id, name: z.string(), slug: z.string() }),
  account_id: Id,
}).meta({ id: "Me" });
export type Me = z.infer<typeof Me>;

export const Session = z.object({
  id: Id,
  user_agent: z.string().nullable(),
  address: z.string().nullable(),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp,
  current: z.boolean(),
}).meta({ id: "Session" });
export type Session = z.infer<typeof Session>;

export const SessionList = z.object({ sessions: z.array(Session), next_cursor: NextCursor });
