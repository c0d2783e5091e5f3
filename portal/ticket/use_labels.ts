import { useRef, useState } from "react";
import type { Label, Project, Ticket } from "../api/types.ts";
import { sayDone, sayRefused, undoable } from "../app/toasts.tsx";
import { saveTicket } from "../data/tickets.ts";
import { plan as words } from "../words/plan.ts";

type Mark = Pick<Label, "id" | "name" | "color">;

/**
 * The labels of a ticket, and the changes that the service hasn't answered yet. Each call names only
 * one label. Somebody else's labels stay.
 */
export function useLabels(project: Project, ticket: Ticket) {
  const [waiting, setWaiting] = useState<ReadonlyMap<string, { label: Mark; isOn: boolean }>>(new Map());
  // One after the other, because each is a new version of the ticket.
  const last = useRef<Promise<Pick<Ticket, "version">>>(null);
  const put = (label: Mark, isOn: boolean, isUndo: boolean) => {
    const change = { label, isOn };
    setWaiting((before) => new Map(before).set(label.id, change));
    const fields = isOn ? { add_labels: [label.name] } : { remove_labels: [label.name] };
    last.current = undoable((last.current ?? Promise.resolve(ticket)).then(async (base) => {
      try {
        const at = { id: project.id, ticketId: ticket.id };
        const outcome = await saveTicket(at, fields, base.version > ticket.version ? base : ticket);
        const takeBack = isUndo ? undefined : () => put(label, !isOn, true);
        sayDone((isOn ? words.labelSet : words.labelGone)(label.name, ticket.ticket_ref), takeBack);
        return "saved" in outcome ? outcome.saved : outcome.current;
      } catch (error) {
        sayRefused(error);
        return base;
      } finally {
        setWaiting((before) => without(before, label.id, change));
      }
    }));
  };
  const set = (label: Mark, isOn: boolean) => put(label, isOn, false);
  const known: Mark[] = ticket.labels.filter(({ id }) => waiting.get(id)?.isOn !== false);
  const added = [...waiting.values()].filter(({ label, isOn }) =>
    isOn && !ticket.labels.some(({ id }) => id === label.id)
  );
  return { shown: [...known, ...added.map(({ label }) => label)], set };
}

/** The changes without one that was answered, unless a later one of the same label has replaced it. */
function without<Change>(changes: ReadonlyMap<string, Change>, id: string, change: Change) {
  if (changes.get(id) !== change) return changes;
  const left = new Map(changes);
  left.delete(id);
  return left;
}
