import { mutationOptions, type QueryKey } from "@tanstack/react-query";
import { queryClient } from "../api/client.ts";
import { projectChanged, type TicketAt, ticketChanged } from "./changes.ts";

/** Makes a call, and reads the queries again that the call makes stale, whatever its outcome is. */
export async function changing<Answer>(call: Promise<Answer>, ...stale: QueryKey[]): Promise<Answer> {
  try {
    return await call;
  } finally {
    await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  }
}

/**
 * A change of a ticket or of a part of it. What shows the ticket is read again, whatever the outcome
 * is, because a refusal often means that the shown state is out of date.
 */
export function ticketChange<Input, Answer>(at: TicketAt, call: (input: Input) => Promise<Answer>) {
  return mutationOptions({ mutationFn: call, onSettled: () => ticketChanged(at) });
}

/** The same for a change of many tickets, or of a part of the project. */
export function projectChange<Input, Answer>(project: string, call: (input: Input) => Promise<Answer>) {
  return mutationOptions({ mutationFn: call, onSettled: () => projectChanged(project) });
}
