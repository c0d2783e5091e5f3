import { z } from "zod";
import {
  Id,
  LargeInteger,
  NextCursor,
  NoCursor,
  Page,
  queryInteger,
  text,
  Timestamp,
} from "../core/schema.ts";
import { EventPattern } from "../events/schema.ts";

const Url = text(1, 2000).describe(
  "An https or http address on the public internet, or on a host in WEBHOOK_ALLOWED_HOSTS",
).meta({ pattern: "^https?://[^\\x00]+$" });
const Types = z.array(EventPattern).min(1).max(100).nullable().describe(
  "Types of events to send, such as `ticket.closed` or `task.*`; null for all",
);
const Format = z.enum(["standard", "slack"]).describe(
  "`standard`: the event. `slack`: {text, blocks}, as Slack, Mattermost and Discord's /slack accept it",
);
const Full = z.boolean().describe(
  "Adds `changes` to the event: the value of each changed field before and after",
);

export const EndpointPath = z.strictObject({ id: Id, webhookId: Id });
export type EndpointPath = z.infer<typeof EndpointPath>;

export const CreateEndpoint = z.strictObject({
  id: Id,
  url: Url,
  types: Types.optional(),
  description: text(0, 500).nullable().optional(),
  format: Format.default("standard"),
  full: Full.default(false),
});
export type CreateEndpoint = z.infer<typeof CreateEndpoint>;

export const UpdateEndpoint = EndpointPath.extend({
  url: Url.optional(),
  types: Types.optional(),
  description: text(0, 500).nullable().optional(),
  format: Format.optional(),
  full: Full.optional(),
  enabled: z.boolean().optional(),
});
export type UpdateEndpoint = z.infer<typeof UpdateEndpoint>;

export const Endpoint = z.object({
  id: Id,
  project_id: Id,
  url: z.string().describe(
    "The whole address for the user who entered it; for others its host, as `https://host/…`",
  ),
  created_by: z.object({ id: Id, name: z.string() }),
  types: z.array(z.string()).nullable(),
  description: z.string().nullable(),
  format: Format,
  full: z.boolean(),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable().describe(
    "Why the service switched the webhook off; null if it is on or a person switched it off",
  ),
  failing_since: Timestamp.nullable().describe("The time since which every try has failed"),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "WebhookEndpoint" });
export type Endpoint = z.infer<typeof Endpoint>;

const Secret = z.string().describe("Shown only this once. Pass it unchanged to a Standard Webhooks library");
export const CreatedEndpoint = Endpoint.extend({ secret: Secret });
export type CreatedEndpoint = z.infer<typeof CreatedEndpoint>;
export const EndpointList = z.object({ webhooks: z.array(Endpoint), next_cursor: NoCursor });

export const RotatedSecret = z.object({
  secret: Secret,
  former_secret_until: Timestamp.describe("Deliveries are signed with the former secret too until this time"),
});

export const DeliveryStatus = z.enum(["pending", "delivered", "failed"]);
export const Delivery = z.object({
  id: Id,
  seq: LargeInteger.nullable().describe("The event's number; null for a test"),
  type: z.string(),
  status: DeliveryStatus,
  attempts: z.int(),
  next_attempt_at: Timestamp.nullable(),
  answer_status: z.int().nullable(),
  answer: z.string().nullable().describe("The first KiB of the receiver's last answer"),
  error: z.string().nullable().describe("Why there was no answer"),
  created_at: Timestamp,
  delivered_at: Timestamp.nullable(),
}).meta({ id: "WebhookDelivery" });
export type Delivery = z.infer<typeof Delivery>;

export const ListDeliveries = EndpointPath.extend({ ...Page.shape, status: DeliveryStatus.optional() });
export type ListDeliveries = z.infer<typeof ListDeliveries>;
export const DeliveryList = z.object({ deliveries: z.array(Delivery), next_cursor: NextCursor });

export const DeliveryPath = EndpointPath.extend({ deliveryId: Id });
export type DeliveryPath = z.infer<typeof DeliveryPath>;

export const Replay = EndpointPath.extend({
  since_seq: LargeInteger.min(0).describe("Sends the events after this number again"),
  limit: queryInteger(1, 5000, 1000),
});
export type Replay = z.infer<typeof Replay>;
export const Replayed = z.object({
  queued: z.int(),
  next_since_seq: LargeInteger.nullable().describe(
    "Send this as `since_seq` to queue the rest; null if nothing is left",
  ),
});
