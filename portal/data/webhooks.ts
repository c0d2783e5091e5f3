import { handoff, trpc } from "../api/client.ts";
import type { Inputs, Webhook } from "../api/types.ts";
import { changing } from "./changing.ts";
import { nextPage } from "./pages.ts";

export const webhooksQuery = (project: string) => trpc.webhooks.list.queryOptions({ id: project });

/** The place of a webhook in the API. */
export const placeOf = ({ id, project_id }: Webhook) => ({ id: project_id, webhookId: id });
type Place = ReturnType<typeof placeOf>;

export function webhookDeliveriesQuery(at: Place) {
  return trpc.webhooks.deliveries.infiniteQueryOptions({ ...at, limit: 20 }, nextPage);
}

const webhooks = trpc.webhooks.list.pathKey();
const deliveries = trpc.webhooks.deliveries.pathKey();

export const createWebhook = (input: Inputs["webhooks"]["create"]) =>
  changing(handoff.api.webhooks.create.mutate(input), webhooks);

export const updateWebhook = (input: Inputs["webhooks"]["update"]) =>
  changing(handoff.api.webhooks.update.mutate(input), webhooks);

export const deleteWebhook = (at: Place) => changing(handoff.api.webhooks.delete.mutate(at), webhooks);

export const rotateSecret = (at: Place) => changing(handoff.api.webhooks.rotateSecret.mutate(at), webhooks);

export const testWebhook = (at: Place) => changing(handoff.api.webhooks.test.mutate(at), deliveries);

export const replayEvents = (input: Inputs["webhooks"]["replay"]) =>
  changing(handoff.api.webhooks.replay.mutate(input), deliveries);

export const redeliver = (input: Inputs["webhooks"]["redeliver"]) =>
  changing(handoff.api.webhooks.redeliver.mutate(input), deliveries);
