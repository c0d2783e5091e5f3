import { mutationOptions, type QueryKey } from "@tanstack/react-query";
import { queryClient } from "../api/client.ts";
import { type TicketAt, ticketChanged, ticketsChanged } from "./changes.ts";

/** Makes a call, and reads the queries again that the call makes stale, also after a failure. */
export async function changing<Answer>(call: Promise<Answer>, ...stale: QueryKey[]): Promise<Answer> {
  try {
    return await call;
  } finally {
    await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  }
}

/**
 * A change of a ticket or of a part of it. The ticket and its parts are read again, also after a
 * refusal, because a refusal often means that the shown state is out of date.
 */
export function ticketChange<Input, Answer>(at: TicketAt, call: (input: Input) => Promise<Answer>) {
  return mutationOptions({ mutationFn: call, onSettled: () => ticketChanged(at) });
}

/** The same for a part of the project. The events tell which tickets it has changed. */
export function projectChange<Input, Answer>(project: string, call: (input: Input) => Promise<Answer>) {
  return mutationOptions({ mutationFn: call, onSettled: () => ticketsChanged(project, []) });
}
