import { IdPath, Page } from "../core/schema.ts";
import { createKey } from "../keys/create.ts";
import { listKeys } from "../keys/list.ts";
import { revokeKey } from "../keys/revoke.ts";
import { CreatedKey, CreateKey, KeyList } from "../keys/schema.ts";
import { Nothing, router, userProcedure } from "./trpc.ts";

// There is no scope, because a key may not make, list or end keys.
const shared = { access: "user", tag: "API keys" } as const;

export const keysRouter = router({
  create: userProcedure({
    ...shared,
    method: "POST",
    path: "/keys",
    refusesNull: true,
    status: 201,
    location: (key: CreatedKey) => `/keys/${key.id}`,
    summary: "Create an API key",
    description: "Only this answer contains the plaintext key.",
    errors: ["forbidden", "not_found"],
    example: { input: { name: "ci bot", scopes: ["tickets:read", "tickets:write"] } },
  }).input(CreateKey).output(CreatedKey).mutation(({ ctx, input }) => createKey(ctx, input)),

  list: userProcedure({ ...shared, method: "GET", path: "/keys", summary: "List my API keys" })
    .input(Page).output(KeyList).query(({ ctx, input }) => listKeys(ctx, input)),

  revoke: userProcedure({
    ...shared,
    method: "DELETE",
    path: "/keys/{id}",
    status: 204,
    summary: "Revoke an API key",
    errors: ["not_found"],
  }).input(IdPath).output(Nothing).mutation(({ ctx, input }) => revokeKey(ctx, input)),
});
