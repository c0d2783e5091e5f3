import { z } from "zod";
import { Cursor, Id, NextCursor, queryInteger, text, Timestamp } from "../core/schema.ts";

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

export const CreateAccount = z.strictObject({ name: text(1, 120), slug: Slug });
export type CreateAccount = z.infer<typeof CreateAccount>;

export const AccountPath = z.strictObject({ id: Id });

export const UpdateAccount = AccountPath.extend({ name: text(1, 120).optional(), slug: Slug.optional() });
export type UpdateAccount = z.infer<typeof UpdateAccount>;

/** The pages of every list that is ordered by id. */
export const Page = z.strictObject({ limit: queryInteger(1, 200, 50), cursor: Cursor.optional() });
export type Page = z.infer<typeof Page>;

export const AccountList = z.object({ accounts: z.array(Account), next_cursor: NextCursor });
