import { trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { type TicketFilters, ticketsQuery } from "./tickets.ts";

export type TicketGrouping = Inputs["tickets"]["groups"]["by"];

/** The groups of tickets by a field, with their counts. */
export function groupsQuery(
  project: string,
  by: TicketGrouping,
  filters: Pick<TicketFilters, "q" | "status">,
) {
  return trpc.tickets.groups.queryOptions({ id: project, by, ...filters });
}

/** The tickets of one group. */
export function groupQuery(
  project: string,
  group: { group_by: TicketGrouping; group: string },
  filters: TicketFilters,
) {
  return ticketsQuery(project, { ...filters, ...group }, 50);
}
