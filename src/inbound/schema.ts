import { z } from "zod";
import type { Context } from "../core/context.ts";
import { Id, NextCursor, Page, text, Timestamp } from "../core/schema.ts";

export const Provider = z.enum(["cloud_agent", "payment", "deploy", "github"]);
export type Provider = z.infer<typeof Provider>;

/** What came, after its signature was found good. */
export interface Delivery {
  provider: Provider;
  /** As the sender names it, or null. */
  deliveryId: string | null;
  /** The signature covers that name too: another body under it is the same event. */
  isNameSigned?: boolean;
  event: string;
  /** What the event is about, such as the agent's id: finds the deliveries that came too early. */
  subject?: string | null;
  body: Uint8Array<ArrayBuffer>;
}

/**
 * Why a delivery was ignored that may count later: what it is about was not set up yet. It is tried again when it comes
 * again.
 */
const NOT_SET_UP = ["unknown_repo", "foreign_repository", "no_ticket", "unknown_agent", "unknown_account"];

/** May a delivery whose last attempt ended so be tried again? */
export function isOpen({ outcome, reason }: { outcome: DeliveryOutcome; reason: string | null }): boolean {
  return outcome === "failed" || outcome === "ignored" && reason !== null && NOT_SET_UP.includes(reason);
}

/** What a delivery led to. A repeat of a decided one is not looked at again, unless `isOpen`. */
export interface Outcome {
  outcome: "applied" | "ignored";
  /** Stable word for why nothing, or not everything, was done. */
  reason?: string;
  /** What of it failed, and is left to a job; the rest stands. */
  failure?: unknown;
}

/** A delivery as the inbox keeps it. */
export interface Kept {
  body: Uint8Array;
  /** An event without a time of its own happened then, however often it is run again. */
  received_at: string;
}

/** What a delivery does. It runs in the transaction of its inbox row: `ctx.db` is that transaction's handle. */
export type Effect<Result extends Outcome = Outcome> = (ctx: Context, delivery: Kept) => Promise<Result>;

export const DeliveryOutcome = z.enum(["applied", "ignored", "failed"]);
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

/** What is counted of a delivery. `repeated`: it had come and been decided before. */
export const COUNTED = [...DeliveryOutcome.options, "repeated"] as const;

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
