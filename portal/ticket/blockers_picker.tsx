import { useMutation, useQuery } from "@tanstack/react-query";
import type { Project, Ticket, TicketLink } from "../api/types.ts";
import { sayDone, sayRefused, undoable } from "../app/toasts.tsx";
import { linkTicket, ticketLinksQuery, unlinkTicket } from "../data/links.ts";
import type { Opened } from "../ui/menu.tsx";
import { plan as words } from "../words/plan.ts";
import { TicketPicker } from "./pickers.tsx";

interface Props extends Opened {
  project: Project;
  ticket: Ticket;
}

/** Chooses the tickets for which a ticket waits. */
export function BlockersPicker({ project, ticket, ...opened }: Props) {
  const at = { id: project.id, ticketId: ticket.id };
  const { data } = useQuery(ticketLinksQuery(at));
  const onError = (error: unknown) => sayRefused(error);
  const link = useMutation({ ...linkTicket(at), onError });
  const unlink = useMutation({ ...unlinkTicket(at), onError });
  // The picker may be closed before the answer comes, so the messages follow the calls themselves.
  const add = (other: string) =>
    link.mutateAsync({ kind: "blocked_by", ticket: other }).then(
      ({ id, ticket: { ticket_ref } }) =>
        sayDone(words.nowWaits(ticket.ticket_ref, ticket_ref), () => unlink.mutate(id)),
      () => {},
    );
  const remove = ({ id, ticket: other }: TicketLink) =>
    unlink.mutateAsync(id).then(() =>
      sayDone(
        words.waitsNoMore(ticket.ticket_ref, other.ticket_ref),
        () => link.mutate({ kind: "blocked_by", ticket: other.id }),
      ), () => {});
  const blockers = data?.links.filter(({ kind }) => kind === "blocked_by") ?? [];
  return (
    <TicketPicker
      {...opened}
      project={project}
      label={words.blockers}
      isMany
      isAnyProject
      without={[ticket.id]}
      chosen={blockers.map(({ ticket }) => ticket)}
      pick={(picked) => {
        const id = typeof picked === "string" ? picked : picked?.id;
        const there = blockers.find((blocker) => blocker.ticket.id === id);
        if (there) void undoable(remove(there));
        else if (id) void undoable(add(id));
      }}
    />
  );
}
