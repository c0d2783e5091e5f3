import { handoff, queryClient, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";

export const notificationsQuery = trpc.settings.notifications.queryOptions({});

/** Stores the settings, and keeps them as the service has stored them. */
export async function putNotifications(settings: Inputs["settings"]["putNotifications"]): Promise<void> {
  const stored = await handoff.api.settings.putNotifications.mutate(settings);
  queryClient.setQueryData(notificationsQuery.queryKey, stored);
}

export const rolesQuery = trpc.settings.roles.queryOptions({});

export const putRoles = (input: Inputs["settings"]["putRoles"]) =>
  changing(handoff.api.settings.putRoles.mutate(input), trpc.settings.roles.pathKey());

/** The person's account at the code host. */
export const hostAccountQuery = trpc.integrations.getAccount.queryOptions({});

const hostAccount = trpc.integrations.getAccount.pathKey();

export const linkHostAccount = (token: string) =>
  changing(handoff.api.integrations.linkAccount.mutate({ token }), hostAccount);

export const unlinkHostAccount = () =>
  changing(handoff.api.integrations.unlinkAccount.mutate({}), hostAccount);

/** Sets up the webhooks of a project's repositories at the code host. */
export const setUpHooks = (project: string) =>
  handoff.api.integrations.setUpHooks.mutate({ project_id: project });
