import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Project, Suggestion } from "../api/types.ts";
import { ticketQuery } from "../data/tickets.ts";
import { StageIcon } from "../ui/icons.tsx";
import { wordsOf } from "../words/history.ts";
import { suggestions as words } from "../words/waiting.ts";

/** The reasons for a suggestion: its ticket, and the facts. */
export function Evidence({ project, suggestion }: { project: Project; suggestion: Suggestion }) {
  const { data: ticket } = useQuery(ticketQuery({ id: project.id, ticketId: suggestion.ticket_id }));
  return (
    <>
      {ticket && (
        <p className="row">
          <StageIcon stage={ticket.stage} />
          <Link to="." search={(old: object) => ({ ...old, ticket: ticket.ticket_ref })} className="link">
            {ticket.ticket_ref}
          </Link>
          <span className="clip" dir="auto">{ticket.title}</span>
        </p>
      )}
      <details>
        <summary>{words.evidence}</summary>
        <dl className="evidence-facts">
          {Object.entries(suggestion.evidence).map(([name, value]) => ({ name, text: wordsOf(value) }))
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
