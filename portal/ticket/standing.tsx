import { useQuery } from "@tanstack/react-query";
import type { Project, Ticket } from "../api/types.ts";
import { ticketLinksQuery } from "../data/links.ts";
import { Stop } from "../ui/icons.tsx";
import { linked as words } from "../words/linked.ts";
import { LinkedTicket } from "./linked_ticket.tsx";

/** The most blockers that stand above a ticket. Its links have all of them. */
const MOST = 3;

/** The ticket of which this one is a duplicate, and those for which it waits. */
export function Standing({ project, ticket }: { project: Project; ticket: Ticket }) {
  const isBlocked = ticket.open_blockers > 0;
  const { data } = useQuery(ticketLinksQuery({ id: project.id, ticketId: ticket.id }));
  const links = data?.links ?? [];
  const kept = links.filter(({ kind }) => kind === "duplicates");
  const blockers = links.filter(({ kind, ticket }) => kind === "blocked_by" && ticket.status === "open");
  const left = ticket.open_blockers - Math.min(blockers.length, MOST);
  if (kept.length === 0 && !isBlocked) return null;
  return (
    <ul className="standing">
      {kept.map(({ id, ticket }) => (
        <li key={id}>
          <b>{words.kinds.duplicates}</b>
          <LinkedTicket project={project} ticket={ticket} />
        </li>
      ))}
      {isBlocked && blockers.slice(0, MOST).map(({ id, ticket }) => (
        <li key={id} className="blocked">
          <Stop />
          <b>{words.kinds.blocked_by}</b>
          <LinkedTicket project={project} ticket={ticket} />
        </li>
      ))}
      {isBlocked && data && left > 0 && <li className="hint">{words.moreBlockers(left)}</li>}
    </ul>
  );
}
