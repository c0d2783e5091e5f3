import { useMutation, useQuery } from "@tanstack/react-query";
import type { Project, Ticket } from "../api/types.ts";
import { sayRefused } from "../app/toasts.tsx";
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
        if (there) unlink.mutate(there.id);
        else if (id) link.mutate({ kind: "blocked_by", ticket: id });
      }}
    />
  );
}
