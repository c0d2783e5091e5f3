import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";
import { nextPage } from "./pages.ts";

/** The person's keys, the newest first. */
export const keysQuery = trpc.keys.list.infiniteQueryOptions({ limit: 50 }, nextPage);
/** The person's newest keys. */
export const newestKeysQuery = trpc.keys.list.queryOptions({ limit: 20 });

const keys = trpc.keys.list.pathKey();

export const createKey = (input: Inputs["keys"]["create"]) =>
  changing(handoff.api.keys.create.mutate(input), keys);

export const revokeKey = (id: string) => changing(handoff.api.keys.revoke.mutate({ id }), keys);

/** Changes the password, which may also revoke the person's keys. */
export const changePassword = (input: Inputs["auth"]["changePassword"]) =>
  changing(handoff.api.auth.changePassword.mutate(input), keys);
