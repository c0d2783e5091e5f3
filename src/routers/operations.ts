import { getStorage } from "../admin/get_storage.ts";
import { listJobs } from "../admin/list_jobs.ts";
import { listQueues } from "../admin/list_queues.ts";
import { replayDelivery } from "../admin/replay_delivery.ts";
import { retryJob } from "../admin/retry_job.ts";
import { Job, JobList, ListJobs, QueueList, Storage } from "../admin/schema.ts";
import { IdPath } from "../core/schema.ts";
import { getDelivery } from "../inbound/get.ts";
import { listDeliveries } from "../inbound/list.ts";
import { DeliveryList, DeliveryRecord, ListDeliveries } from "../inbound/schema.ts";
import { Empty, router, userProcedure } from "./trpc.ts";

const shared = { access: "super_admin", scope: "admin", tag: "Administration" } as const;

export const operationsRouter = router({
  deliveries: userProcedure({
    ...shared,
    method: "GET",
    path: "/admin/deliveries",
    summary: "List webhook deliveries, newest first",
  })
    .input(ListDeliveries).output(DeliveryList).query(({ ctx, input }) => listDeliveries(ctx, input)),

  delivery: userProcedure({
    ...shared,
    method: "GET",
    path: "/admin/deliveries/{id}",
    summary: "Get a webhook delivery with its body",
    errors: ["not_found"],
  }).input(IdPath).output(DeliveryRecord).query(({ ctx, input }) => getDelivery(ctx, input)),

  replay: userProcedure({
    ...shared,
    method: "POST",
    path: "/admin/deliveries/{id}/replay",
    summary: "Run a webhook delivery again",
    description:
      "Returns the delivery with its new result. A delivery that was applied already changes nothing.",
    errors: ["not_found"],
  }).input(IdPath).output(DeliveryRecord).mutation(({ ctx, input }) => replayDelivery(ctx, input)),

  storage: userProcedure({
    ...shared,
    method: "GET",
    path: "/admin/storage",
    summary: "Show how much disk space the database takes",
  })
    .input(Empty).output(Storage).query(({ ctx }) => getStorage(ctx)),

  queues: userProcedure({ ...shared, method: "GET", path: "/admin/queues", summary: "List job queues" })
    .input(Empty).output(QueueList).query(({ ctx }) => listQueues(ctx)),

  jobs: userProcedure({ ...shared, method: "GET", path: "/admin/jobs", summary: "List jobs, newest first" })
    .input(ListJobs).output(JobList).query(({ ctx, input }) => listJobs(ctx, input)),

  retry: userProcedure({
    ...shared,
    method: "POST",
    path: "/admin/jobs/{id}/retry",
    summary: "Give a failed job one more try",
    errors: ["not_found", "conflict"],
  }).input(IdPath).output(Job).mutation(({ ctx, input }) => retryJob(ctx, input)),
});
