import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Input, SearchField } from "react-aria-components";
import { useFoundTickets } from "../app/found_tickets.ts";
import { useKeys } from "../app/keys.ts";
import { useTitle } from "../app/title.tsx";
import { PriorityIcon, Search as SearchIcon, StageIcon, TypeIcon } from "../ui/icons.tsx";
import { Time } from "../ui/time.tsx";
import { search as words } from "../words/waiting.ts";

const route = getRouteApi("/signed-in/search");
/** Milliseconds from the last key to the search. */
const PAUSE_MS = 200;

/** Tickets of all projects by their words. */
export function Search() {
  const { q = "" } = route.useSearch();
  useTitle(words.title, q);
  const navigate = route.useNavigate();
  const [text, setText] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const { found, isAsked, isPending } = useFoundTickets(q, 20);
  useEffect(() => {
    const later = setTimeout(() => {
      if (text.trim() !== q) void navigate({ search: text.trim() ? { q: text.trim() } : {}, replace: true });
    }, PAUSE_MS);
    return () => clearTimeout(later);
  }, [text, q, navigate]);
  const links = () => [...document.querySelectorAll<HTMLElement>(".found a")];
  const step = (by: number) => () => {
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys({
    "/": () => field.current?.focus(),
    j: step(1),
    k: step(-1),
    ArrowDown: step(1),
    ArrowUp: step(-1),
  });
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>{words.title}</h1>
      <SearchField
        className="filter-field wide"
        aria-label={words.label}
        value={text}
        onChange={setText}
        autoFocus
      >
        <SearchIcon />
        <Input ref={field} placeholder={words.placeholder} />
      </SearchField>
      <p className="hint" role="status">
        {!isAsked ? words.begin : isPending ? "" : found.length > 0 ? words.found(found.length) : words.empty}
      </p>
      <ul className="found" aria-busy={isPending}>
        {found.map(({ project, ticket }) => (
          <li key={ticket.id}>
            <Link to="/$key/tickets/$ref" params={{ key: project.key, ref: ticket.ticket_ref }}>
              <StageIcon stage={ticket.stage} />
              <PriorityIcon priority={ticket.priority} />
              <TypeIcon type={ticket.request_type} />
              <span className="ref">{ticket.ticket_ref}</span>
              <span className="clip" dir="auto">{ticket.title}</span>
              <span className="space" />
              <small className="clip">{project.name}</small>
              <Time at={ticket.updated_at} />
            </Link>
          </li>
        ))}
      </ul>
    </main>
  );
}
