import { createEndpoint } from "../outbound/create.ts";
import { deleteEndpoint } from "../outbound/delete.ts";
import { getEndpoint } from "../outbound/get.ts";
import { listEndpoints } from "../outbound/list.ts";
import { listDeliveries } from "../outbound/list_deliveries.ts";
import { redeliver } from "../outbound/redeliver.ts";
import { replayEvents } from "../outbound/replay.ts";
import { rotateSecret } from "../outbound/rotate_secret.ts";
import {
  CreatedEndpoint,
  CreateEndpoint,
  Delivery,
  DeliveryList,
  DeliveryPath,
  Endpoint,
  EndpointList,
  EndpointPath,
  ListDeliveries,
  Replay,
  Replayed,
  RotatedSecret,
  UpdateEndpoint,
} from "../outbound/schema.ts";
import { sendTest } from "../outbound/send_test.ts";
import { updateEndpoint } from "../outbound/update.ts";
import { IdPath } from "../core/schema.ts";
import { Nothing, projectProcedure, router } from "./trpc.ts";

const admin = { access: "project_admin", scope: "admin", tag: "Events" } as const;
const webhooks = "/projects/{id}/webhooks";
const webhook = `${webhooks}/{webhookId}` as const;

export const webhooksRouter = router({
  create: projectProcedure({
    ...admin,
    method: "POST",
    path: webhooks,
    status: 201,
    location: (made: CreatedEndpoint, input: CreateEndpoint) => `/projects/${input.id}/webhooks/${made.id}`,
    summary: "Create a webhook that sends events to an address",
    description:
      "Deliveries are signed by Standard Webhooks 1.0. Only 2xx counts as delivered; any other is tried again at " +
      "5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. A 410 and five days of nothing but failures " +
      "switch the webhook off.",
    errors: ["conflict"],
    example: { input: { url: "https://example.com/handoff", types: ["ticket.closed", "question.*"] } },
  }).input(CreateEndpoint).output(CreatedEndpoint).mutation(({ ctx, input }) => createEndpoint(ctx, input)),

  list: projectProcedure({ ...admin, method: "GET", path: webhooks, summary: "List a project's webhooks" })
    .input(IdPath).output(EndpointList).query(({ ctx }) => listEndpoints(ctx)),

  get: projectProcedure({
    ...admin,
    method: "GET",
    path: webhook,
    summary: "Get a webhook",
    errors: ["not_found"],
  }).input(EndpointPath).output(Endpoint).query(({ ctx, input }) => getEndpoint(ctx, input)),

  update: projectProcedure({
    ...admin,
    method: "PATCH",
    path: webhook,
    summary: "Change a webhook, or switch it off or on",
    errors: ["not_found"],
    example: { input: { enabled: true, types: ["ticket.*"] } },
  }).input(UpdateEndpoint).output(Endpoint).mutation(({ ctx, input }) => updateEndpoint(ctx, input)),

  delete: projectProcedure({
    ...admin,
    method: "DELETE",
    path: webhook,
    status: 204,
    summary: "Delete a webhook",
    errors: ["not_found"],
  }).input(EndpointPath).output(Nothing).mutation(({ ctx, input }) => deleteEndpoint(ctx, input)),

  rotateSecret: projectProcedure({
    ...admin,
    method: "POST",
    path: `${webhook}/rotate-secret`,
    summary: "Give a webhook a new secret",
    description: "Deliveries are signed with both secrets for a day, so that the receiver can change over.",
    errors: ["not_found"],
  }).input(EndpointPath).output(RotatedSecret).mutation(({ ctx, input }) => rotateSecret(ctx, input)),

  test: projectProcedure({
    ...admin,
    method: "POST",
    path: `${webhook}/test`,
    status: 202,
    location: (_made: Delivery, input: EndpointPath) =>
      `/projects/${input.id}/webhooks/${input.webhookId}/deliveries`,
    summary: "Send a test",
    errors: ["not_found", "rate_limited"],
  }).input(EndpointPath).output(Delivery).mutation(({ ctx, input }) => sendTest(ctx, input)),

  deliveries: projectProcedure({
    ...admin,
    method: "GET",
    path: `${webhook}/deliveries`,
    summary: "List a webhook's deliveries, newest first",
    errors: ["not_found"],
  }).input(ListDeliveries).output(DeliveryList).query(({ ctx, input }) => listDeliveries(ctx, input)),

  redeliver: projectProcedure({
    ...admin,
    method: "POST",
    path: `${webhook}/deliveries/{deliveryId}/redeliver`,
    status: 202,
    location: (_made: Delivery, input: DeliveryPath) =>
      `/projects/${input.id}/webhooks/${input.webhookId}/deliveries`,
    summary: "Send a delivery again",
    errors: ["not_found", "rate_limited"],
  }).input(DeliveryPath).output(Delivery).mutation(({ ctx, input }) => redeliver(ctx, input)),

  replay: projectProcedure({
    ...admin,
    method: "POST",
    path: `${webhook}/replay`,
    summary: "Send the events after a number again",
    errors: ["not_found", "rate_limited"],
    example: { input: { since_seq: 4711 } },
  }).input(Replay).output(Replayed).mutation(({ ctx, input }) => replayEvents(ctx, input)),
});
