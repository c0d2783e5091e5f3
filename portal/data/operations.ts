import { handoff, trpc } from "../api/client.ts";
import { changing } from "./changing.ts";
import { nextPage } from "./pages.ts";

export const deliveriesQuery = trpc.operations.deliveries.infiniteQueryOptions({ limit: 50 }, nextPage);
export const failedJobsQuery = trpc.operations.jobs.queryOptions({ state: "failed", limit: 50 });
export const queuesQuery = trpc.operations.queues.queryOptions({});
export const storageQuery = trpc.operations.storage.queryOptions({});

export const replayDelivery = (id: string) =>
  changing(handoff.api.operations.replay.mutate({ id }), trpc.operations.deliveries.pathKey());

export const retryJob = (id: string) =>
  changing(handoff.api.operations.retry.mutate({ id }), [["operations"]]);
