import { getRouteApi, Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import { FilterField } from "../app/filter_field.tsx";
import { FilterNotes } from "../app/filter_notes.tsx";
import { wordsAlone } from "../app/filter_text.ts";
import { PROJECTS_AT_ONCE, useFoundTickets } from "../app/found_tickets.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { useKeys } from "../app/keys.ts";
import { useTitle } from "../app/title.tsx";
import { useFilterText } from "../app/use_filter_text.ts";
import { PriorityIcon, StageIcon, TypeIcon } from "../ui/icons.tsx";
import { Marked } from "../ui/marked.tsx";
import { Time } from "../ui/time.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { ViewMenu } from "../views/view_menu.tsx";
import { STAGES } from "../words/enums.ts";
import { search as words } from "../words/waiting.ts";

const route = getRouteApi("/signed-in/search");
/** Tickets of all projects by words and filters. */
export function Search() {
  const { q = "", open, view } = route.useSearch();
  useTitle(words.title, q);
  const navigate = route.useNavigate();
  const main = useRef<HTMLElement>(null);
  const [projects, setProjects] = useState(PROJECTS_AT_ONCE);
  const asked = { limit: 20, onlyOpen: open === true, projects };
  const { found, isAsked, isPending, error, left, unrecognized, first } = useFoundTickets(q, asked);
  const { text, type, put, refusal } = useFilterText(
    first?.id,
    q,
    (q) => void navigate({ search: { q: q || undefined, open, view }, replace: true }),
  );
  useKeptScroll(main, "search", found.length > 0);
  const links = () => [...document.querySelectorAll<HTMLElement>(".found a")];
  const step = (by: number) => () => {
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys({
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
            void navigate({ search: { q: q || undefined, open: on || undefined, view }, replace: true })}
        >
          {words.onlyOpen}
        </Toggle>
        {isAsked && <ViewMenu project={null} layout="list" shown={{ q: open ? `${q} is:open` : q, view }} />}
      </header>
      <FilterField
        className="wide"
        label={words.label}
        placeholder={words.placeholder}
        text={text}
        type={type}
        autoFocus
      />
      <FilterNotes text={text} put={put} refusal={refusal} unrecognized={unrecognized} />
      {error && !refusal && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
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
                <Marked text={ticket.title} q={wordsAlone(q)} />
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
