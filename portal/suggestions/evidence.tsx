import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Project, Suggestion } from "../api/types.ts";
import { ticketQuery } from "../data/tickets.ts";
import { Ghosts } from "../ui/ghosts.tsx";
import { StageIcon } from "../ui/icons.tsx";
import { wordsOf } from "../words/history.ts";
import { suggestions as words } from "../words/waiting.ts";

/** The reasons for a suggestion: its ticket, the ticket that it repeats, and the facts. */
export function Evidence({ project, suggestion }: { project: Project; suggestion: Suggestion }) {
  const { duplicate_of: other } = suggestion.evidence as { duplicate_of?: { ticket_id: string } };
  return (
    <>
      <NamedTicket project={project.id} ticketId={suggestion.ticket_id} />
      {other && <NamedTicket project={project.id} ticketId={other.ticket_id} />}
      <details>
        <summary>{words.evidence}</summary>
        <dl className="evidence-facts">
          {Object.entries(suggestion.evidence).filter(([name]) => name !== "duplicate_of").map((
            [name, value],
          ) => ({ name, text: wordsOf(value) }))
            .filter((
              { text },
            ) => text).map(({ name, text }) => (
              <div key={name}>
                <dt>{name.replaceAll("_", " ")}</dt>
                <dd dir="auto">{text}</dd>
              </div>
            ))}
        </dl>
      </details>
    </>
  );
}

function NamedTicket({ project, ticketId }: { project: string; ticketId: string }) {
  const { data: ticket } = useQuery(ticketQuery({ id: project, ticketId }));
  if (!ticket) return <Ghosts rows={1} />;
  return (
    <p className="row">
      <StageIcon stage={ticket.stage} />
      <Link to="." search={(old: object) => ({ ...old, ticket: ticket.ticket_ref })} className="link">
        {ticket.ticket_ref}
      </Link>
      <span className="clip" dir="auto">{ticket.title}</span>
    </p>
  );
}
