import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";
import { nextPage } from "./pages.ts";

export function usersQuery(q: string) {
  return trpc.users.list.infiniteQueryOptions({ limit: 100, ...(q && { q }) }, nextPage);
}

const users = trpc.users.list.pathKey();
/** All that shows a person's name. */
const named = [
  users,
  trpc.auth.me.pathKey(),
  trpc.projects.people.pathKey(),
  trpc.projects.members.pathKey(),
];

export const createUser = (input: Inputs["users"]["create"]) =>
  changing(handoff.api.users.create.mutate(input), users);

export const updateUser = (input: Inputs["users"]["update"]) =>
  changing(handoff.api.users.update.mutate(input), ...named);

export const inviteUser = (id: string) => handoff.api.users.invite.mutate({ id });
