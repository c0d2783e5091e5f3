import { z } from "zod";
import { Id, line, NextCursor, OffsetTime, Scope, Timestamp } from "../core/schema.ts";

export const CreateKey = z.strictObject({
  name: line(1, 120).optional(),
  scopes: z.array(Scope).min(1).max(Scope.options.length).optional().describe(
    "When absent: all scopes except admin",
  ),
  project_id: Id.optional().describe("Binds the key to one project"),
  expires_at: OffsetTime.optional().describe("In the future; when absent: the key does not expire"),
});
export type CreateKey = z.infer<typeof CreateKey>;

const Key = z.object({ id: Id, prefix: z.string(), name: z.string() });

export const CreatedKey = Key.extend({ key: z.string().describe("The whole key, shown only this once") })
  .meta({
    id: "CreatedKey",
  });
export type CreatedKey = z.infer<typeof CreatedKey>;

export const ListedKey = Key.extend({
  user_id: Id,
  scopes: z.array(Scope),
  project_id: Id.nullable(),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
  created_at: Timestamp,
}).meta({ id: "Key" });
export type ListedKey = z.infer<typeof ListedKey>;

export const KeyList = z.object({ keys: z.array(ListedKey), next_cursor: NextCursor });
