import { z } from "zod";
import type { Db } from "../../db/open.ts";
import { Id } from "./schema.ts";

/**
 * Every queue: the schema of its payload and how a failed job is tried again. Handlers are in jobs/.
 * `retryLimit` counts tries after the first; with `retryBackoff` the delay doubles.
 */
export const QUEUES = {
  "embed-ticket": {
    payload: z.object({ ticket_id: Id }),
    retry: { retryLimit: 20, retryDelay: 5, retryBackoff: true, retryDelayMax: 600 },
  },
} as const satisfies Record<string, QueueDefinition>;

export interface QueueDefinition {
  payload: z.ZodType;
  retry: { retryLimit: number; retryDelay: number; retryBackoff: boolean; retryDelayMax?: number };
  /** Five-field cron in UTC: one job per installation at each time. */
  cron?: string;
  /** Where a job goes whose tries are used up. */
  deadLetter?: string;
}

export type QueueName = keyof typeof QUEUES;
export type Payload<Name extends QueueName> = z.infer<(typeof QUEUES)[Name]["payload"]>;

export interface EnqueueOptions {
  /** Only one waiting job with this key. */
  singletonKey?: string;
  startAfterSeconds?: number;
}

export interface Queue {
  /** Adds a job inside `db`'s transaction, so that it exists if and only if the change that asked for it does. */
  enqueue<Name extends QueueName>(db: Db, name: Name, payload: Payload<Name>, options?: EnqueueOptions): Promise<void>;
}
