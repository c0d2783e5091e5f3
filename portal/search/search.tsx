import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Button, Input, SearchField } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import { PROJECTS_AT_ONCE, useFoundTickets } from "../app/found_tickets.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { useKeys } from "../app/keys.ts";
import { useTitle } from "../app/title.tsx";
import { PriorityIcon, Search as SearchIcon, StageIcon, TypeIcon } from "../ui/icons.tsx";
import { Marked } from "../ui/marked.tsx";
import { Time } from "../ui/time.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { STAGES } from "../words/enums.ts";
import { search as words } from "../words/waiting.ts";

const route = getRouteApi("/signed-in/search");
/** Milliseconds from the last key to the search. */
const PAUSE_MS = 200;

/** Tickets of all projects by their words. */
export function Search() {
  const { q = "", open } = route.useSearch();
  useTitle(words.title, q);
  const navigate = route.useNavigate();
  const [text, setText] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const main = useRef<HTMLElement>(null);
  const [projects, setProjects] = useState(PROJECTS_AT_ONCE);
  const asked = { limit: 20, onlyOpen: open === true, projects };
  const { found, isAsked, isPending, error, left } = useFoundTickets(q, asked);
  useKeptScroll(main, "search", found.length > 0);
  useEffect(() => {
    const later = setTimeout(() => {
      if (text.trim() !== q) void navigate({ search: { q: text.trim() || undefined, open }, replace: true });
    }, PAUSE_MS);
    return () => clearTimeout(later);
  }, [text, q, open, navigate]);
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
    <main ref={main} className="page" id="main" tabIndex={-1}>
      <header className="row">
        <h1>{words.title}</h1>
        <span className="space" />
        <Toggle
          className="button chip"
          isOn={open === true}
          change={(on) =>
            void navigate({ search: { q: q || undefined, open: on || undefined }, replace: true })}
        >
          {words.onlyOpen}
        </Toggle>
      </header>
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
      {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
      <p className="hint" role="status">
        {!isAsked
          ? words.begin
          : isPending || error
          ? ""
          : found.length > 0
          ? words.found(found.length)
          : words.empty}
      </p>
      <ul className="found" aria-busy={isPending}>
        {found.map(({ project, ticket }) => (
          <li key={ticket.id}>
            <Link to="/$key/tickets/$ref" params={{ key: project.key, ref: ticket.ticket_ref }}>
              <StageIcon stage={ticket.stage} />
              <PriorityIcon priority={ticket.priority} />
              <TypeIcon type={ticket.request_type} />
              <span className="ref">{ticket.ticket_ref}</span>
              <span className="clip" dir="auto">
                <Marked text={ticket.title} q={q} />
              </span>
              <span className="space" />
              <small>{STAGES[ticket.stage]}</small>
              <small className="clip">{project.name}</small>
              <Time at={ticket.updated_at} />
            </Link>
          </li>
        ))}
      </ul>
      {isAsked && left > 0 && (
        <Button
          className="button"
          onPress={() => setProjects(projects + PROJECTS_AT_ONCE)}
        >
          {words.more(Math.min(left, PROJECTS_AT_ONCE))}
        </Button>
      )}
    </main>
  );
}
