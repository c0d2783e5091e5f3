import { errorBody, handoff, queryClient, refreshProject, trpc } from "../api/client.ts";
import type { Project, Ticket } from "../api/types.ts";
import { sayRefused } from "../app/toasts.tsx";
import { ticket as words } from "../words/ticket.ts";

type Update = Parameters<typeof handoff.api.tickets.update.mutate>[0];
export type Fields = Omit<Update, "id" | "ticketId">;

/** Another person changed the field first, so nothing was saved. */
export interface Conflict {
  current: Ticket;
}

/**
 * Saves fields of a ticket, for the version in which the person changed them. If somebody else has
 * changed other fields since, the fields are saved nevertheless. If somebody else has changed the
 * same fields, nothing is saved, and the result is the current ticket.
 */
export function useSave(project: Project, ticket: Ticket) {
  return async function save(fields: Fields, base: Ticket = ticket): Promise<Conflict | null> {
    let version = base.version;
    for (let tries = 0;; tries++) {
      try {
        const input = { id: project.id, ticketId: ticket.id, ...fields };
        const saved = await handoff.api.tickets.update.mutate(input, { context: { ifMatch: version } });
        keep(project, saved);
        void refreshProject(project.id);
        return null;
      } catch (error) {
        const body = errorBody(error);
        const current = (body?.details as { current?: Ticket } | undefined)?.current;
        if (body?.code !== "version_conflict" || !current) throw error;
        keep(project, current);
        const names = Object.keys(fields) as (keyof Ticket)[];
        if (tries > 2 || names.some((name) => !isSame(base[name], current[name]))) return { current };
        version = current.version;
      }
    }
  };
}

/**
 * Saves a field whose value is chosen from a list. A conflict is reported, and the other person's
 * value is shown.
 */
export function useChoose(project: Project, ticket: Ticket) {
  const save = useSave(project, ticket);
  return (fields: Fields, label: string) =>
    void save(fields).then(
      (conflict) => conflict && sayRefused(words.changedMeanwhile(label)),
      (error: unknown) => sayRefused(error),
    );
}

function keep(project: Project, ticket: Ticket): void {
  for (const ticketId of [ticket.id, ticket.ticket_ref]) {
    queryClient.setQueryData(trpc.tickets.get.queryKey({ id: project.id, ticketId }), ticket);
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
