import type { Context } from "../src/core/context.ts";
import type { Payload, QueueName } from "../src/core/queue.ts";
import { embedTicket } from "../src/tickets/embed.ts";

export type Handlers = { [Name in QueueName]: (ctx: Context, payload: Payload<Name>) => Promise<void> };

/** Which verb does the work of each queue. */
export const handlers: Handlers = {
  "embed-ticket": embedTicket,
};
