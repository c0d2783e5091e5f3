import type { QueryKey } from "@tanstack/react-query";
import { queryClient } from "../api/client.ts";

/** The fields of an event that the portal uses. */
export interface LiveEvent {
  seq: number;
  type: string;
  project_id: string | null;
  entity: string;
  ticket: { id: string; ticket_ref: string; stage: string } | null;
}

interface Asked {
  path: string[];
  input: Record<string, unknown>;
}

/** The input of a query, in the form of tRPC's query keys. */
function askedBy(key: QueryKey): Asked | null {
  const [path, options] = key as [unknown, { input?: Record<string, unknown> } | undefined];
  return Array.isArray(path) ? { path: path as string[], input: options?.input ?? {} } : null;
}

/** The stages whose lists show the ticket now, or will show it. */
export function stagesOf({ ticket }: LiveEvent): ReadonlySet<unknown> {
  const stages = new Set<unknown>(ticket ? [ticket.stage] : []);
  const lists = queryClient.getQueriesData<{ pages?: { tickets?: { id: string; stage: string }[] }[] }>({
    queryKey: [["tickets", "list"]],
  });
  for (const [, data] of lists) {
    for (const page of data?.pages ?? []) {
      for (const { id, stage } of page.tickets ?? []) if (id === ticket?.id) stages.add(stage);
    }
  }
  return stages;
}

/**
 * Queries that are not read again after an event. People and projects change seldom, and hints are
 * read while a person types.
 */
const STEADY: ReadonlySet<string> = new Set([
  "projects.list",
  "projects.people",
  "tickets.similar",
  "auth.me",
]);

/** The place of a ticket in the API: its project, and its own id or ref. */
export interface TicketAt {
  id: string;
  ticketId: string;
}

/** Reads what shows a ticket again, because the caller has changed the ticket or a part of it. */
export async function ticketChanged({ id }: TicketAt): Promise<void> {
  await projectChanged(id);
}

/** Reads what shows a project's tickets again, because the caller has changed several of them. */
export async function projectChanged(project: string): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => {
      const asked = askedBy(queryKey);
      return asked !== null &&
        (["waiting", "inbox"].includes(asked.path[0]!) || asked.input["id"] === project);
    },
  });
}

/** Tells whether an event makes the data of a query out of date. */
export function concerns(key: QueryKey, event: LiveEvent, stages: ReadonlySet<unknown>): boolean {
  const asked = askedBy(key);
  if (!asked) return false;
  const { path: [router = "", name = ""], input } = asked;
  if (router === "waiting" || router === "inbox") return true;
  if (STEADY.has(`${router}.${name}`) || input["id"] !== event.project_id) return false;
  if ("ticketId" in input) {
    return input["ticketId"] === event.ticket?.id || input["ticketId"] === event.ticket?.ticket_ref;
  }
  return router !== "tickets" || name !== "list" || input["stage"] === undefined ||
    stages.has(input["stage"]);
}
