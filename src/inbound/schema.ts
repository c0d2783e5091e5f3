import { z } from "zod";
import type { Context } from "../core/context.ts";
import { Id, NextCursor, Page, text, Timestamp } from "../core/schema.ts";

export const Provider = z.enum(["cloud_agent", "payment", "deploy", "github"]);
export type Provider = z.infer<typeof Provider>;

/** A delivery whose signature has been verified. */
export interface Delivery {
  provider: Provider;
  /** The sender's name for the delivery, or null. */
  deliveryId: string | null;
  /** The signature covers that name, too, so another body with the same name is the same event. */
  isNameSigned?: boolean;
  event: string;
  /**
   * The subject of the event, such as the agent's id. Deliveries that came too early are found by
   * their subject.
   */
  subject?: string | null;
  body: Uint8Array<ArrayBuffer>;
}

/**
 * Reasons why a delivery was ignored that may count later, because its subject was not set up yet.
 * Such a delivery is tried again if the sender repeats it.
 */
const NOT_SET_UP = ["unknown_repo", "foreign_repository", "no_ticket", "unknown_agent", "unknown_account"];

/** Tells whether a delivery whose last attempt ended in this way may be tried again. */
export function isOpen({ outcome, reason }: { outcome: DeliveryOutcome; reason: string | null }): boolean {
  return outcome === "failed" || outcome === "ignored" && reason !== null && NOT_SET_UP.includes(reason);
}

/**
 * The outcome of a delivery. A repeat of a decided delivery is not processed again, unless
 * `isOpen`.
 */
export interface Outcome {
  outcome: "applied" | "ignored";
  /** A stable word for the reason why nothing, or not everything, was done. */
  reason?: string;
  /** The failure of a part that a job will repeat. The rest of the effect is stored. */
  failure?: unknown;
}

/** A delivery as it is stored. */
export interface Kept {
  body: Uint8Array;
  /**
   * The time that counts for an event without a time of its own. It stays the same if the event is
   * run again.
   */
  received_at: string;
}

/**
 * The effect of a delivery. It runs in the transaction of its inbox row: `ctx.db` is that
 * transaction's handle.
 */
export type Effect<Result extends Outcome = Outcome> = (ctx: Context, delivery: Kept) => Promise<Result>;

export const DeliveryOutcome = z.enum(["applied", "ignored", "failed"]);
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

/**
 * The counted outcomes of a delivery. `repeated` means that the delivery had been decided before,
 * and `refused` that the sender doesn't know the secret.
 */
export const COUNTED = [...DeliveryOutcome.options, "repeated", "refused"] as const;

export const DeliverySummary = z.object({
  id: Id,
  provider: Provider,
  delivery_id: z.string().nullable(),
  event: z.string(),
  subject: z.string().nullable(),
  outcome: DeliveryOutcome,
  reason: z.string().nullable(),
  error: z.string().nullable(),
  attempts: z.int(),
  body_bytes: z.int(),
  body_sha256: z.string(),
  request_id: z.string(),
  received_at: Timestamp,
  decided_at: Timestamp,
}).meta({ id: "DeliverySummary" });
export type DeliverySummary = z.infer<typeof DeliverySummary>;

export const DeliveryRecord = DeliverySummary.extend({
  body: z.string().describe("Body as it was sent; bytes that are not valid UTF-8 are replaced"),
}).meta({ id: "Delivery" });
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;

export const ListDeliveries = Page.extend({
  provider: Provider.optional(),
  outcome: DeliveryOutcome.optional(),
  event: text(0, 100).optional(),
  subject: text(0, 200).optional(),
});
export type ListDeliveries = z.infer<typeof ListDeliveries>;

export const DeliveryList = z.object({ deliveries: z.array(DeliverySummary), next_cursor: NextCursor });
