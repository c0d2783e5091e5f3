import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { memo, useRef } from "react";
import { ticketsQuery } from "../data/tickets.ts";
import type { TicketSummary } from "../api/types.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { useProject } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { PriorityIcon, StageIcon, TypeIcon, Warn } from "../ui/icons.tsx";
import { Time } from "../ui/time.tsx";
import { useToday } from "../ui/days.ts";
import { ViewMenu } from "../views/view_menu.tsx";
import { app } from "../words/app.ts";
import { board, list } from "../words/board.ts";
import { PRIORITIES, STAGES, TYPES } from "../words/enums.ts";
import { isUnreadable, More } from "./column.tsx";
import { NotLoaded } from "./not_loaded.tsx";
import type { Filters } from "./filters.ts";
import { ProjectBar } from "./project_bar.tsx";
import { AssigneeMark, BlockedMark, LabelMarks, PlanMarks } from "./plan_marks.tsx";
import { RoleTag } from "./role_tag.tsx";
import { usePagesInView } from "./use_pages_in_view.ts";
import { useTicketSelection } from "./use_ticket_selection.tsx";
import { WaitingFacts } from "./waiting_facts.tsx";

const route = getRouteApi("/signed-in/$key/list");
/** The usual pixels of a row. */
const ROW = 39;

/** All tickets of a project in one order, with the board's filters and keys. */
export function List() {
  const project = useProject();
  useTitle(app.list, project.name);
  const { ticket: open, create: _, view, group, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const today = useToday(project.time_zone);
  const { sort = "-updated_at", ...conditions } = filters;
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPending } =
    useInfiniteQuery(
      ticketsQuery(project.id, { ...conditions, sort }),
    );
  const pages = data?.pages ?? [];
  const scroller = useRef<HTMLDivElement>(null);
  const name = JSON.stringify([project.id, "list", filters]);
  const { inView, heightOf } = usePagesInView(scroller, pages, { name, height: ROW });
  useKeptScroll(scroller, name, pages.length > 0);
  const { selected, toggle, click, dialogs } = useTicketSelection(project);
  const isEmpty = (data !== undefined || isUnreadable(error)) &&
    !pages.some(({ tickets }) => tickets.length > 0);
  return (
    <main className="screen" id="main" tabIndex={-1}>
      <ProjectBar
        project={project}
        filters={filters}
        withStage
        change={(next: Filters) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true })}
      >
        <ViewMenu project={project} layout="list" shown={{ ...filters, view, group }} />
      </ProjectBar>
      <div ref={scroller} className="list" data-column="list" onClickCapture={click} aria-busy={isPending}>
        <table>
          <caption className="hidden">{list.title}</caption>
          <thead>
            <tr>
              <th scope="col" className="list-check">
                <span className="hidden">{board.select}</span>
              </th>
              <th scope="col">{list.ticket}</th>
              <th scope="col">{list.stage}</th>
              <th scope="col" className="wide-only">{list.roles}</th>
              <th scope="col" className="wide-only">{list.progress}</th>
              <th scope="col" className="list-time">{list.changed}</th>
            </tr>
          </thead>
          {pages.map(({ tickets }, at) => (
            <tbody key={at} data-page>
              {inView(at)
                ? tickets.map((ticket) => (
                  <Row
                    key={ticket.id}
                    ticket={ticket}
                    isSelected={selected.has(ticket.id)}
                    isOpen={open === ticket.ticket_ref}
                    toggle={toggle}
                    today={today}
                  />
                ))
                : (
                  <tr aria-hidden="true">
                    <td colSpan={6} style={{ height: heightOf(at) }} />
                  </tr>
                )}
            </tbody>
          ))}
          {isPending && (
            <tbody>
              {[0, 1, 2, 3].map((place) => (
                <tr key={place} aria-hidden="true">
                  <td colSpan={6}>
                    <div className="ghost-line" />
                  </td>
                </tr>
              ))}
            </tbody>
          )}
        </table>
        {isEmpty && <p className="empty">{list.empty}</p>}
        {error && !data && !isUnreadable(error) && <NotLoaded again={refetch} />}
        {hasNextPage && (
          <More
            pages={pages.length}
            load={() => !isFetchingNextPage && void fetchNextPage()}
          />
        )}
      </div>
      {dialogs}
    </main>
  );
}

interface RowProps {
  ticket: TicketSummary;
  isSelected: boolean;
  isOpen: boolean;
  toggle: (id: string) => void;
  /** The day in the project's time zone. */
  today: string;
}

const Row = memo(function Row({ ticket, isSelected, isOpen, toggle, today }: RowProps) {
  const { id, ticket_ref, title, stage, priority, request_type, blocking, roles } = ticket;
  return (
    <tr data-card={id} className={`${isSelected ? "selected" : ""}${isOpen ? " open" : ""}`}>
      <td className="list-check">
        <input
          type="checkbox"
          aria-label={`${board.select} ${ticket_ref}`}
          checked={isSelected}
          onChange={() => toggle(id)}
        />
      </td>
      <th scope="row">
        <div className="list-cell">
          <Link to="." search={(old: object) => ({ ...old, ticket: ticket_ref })} className="list-title">
            <span title={PRIORITIES[priority]}>
              <PriorityIcon priority={priority} />
              <span className="hidden">{PRIORITIES[priority]}</span>
            </span>
            <span title={TYPES[request_type]}>
              <TypeIcon type={request_type} />
              <span className="hidden">{TYPES[request_type]}</span>
            </span>
            <span className="ref">{ticket_ref}</span>
            <span className="clip" dir="auto">{title}</span>
            {blocking && (
              <span className="blocking">
                <Warn />
                <span className="hidden">{board.blockingMark}</span>
              </span>
            )}
          </Link>
          <span className="list-plan">
            <BlockedMark ticket={ticket} />
            <LabelMarks ticket={ticket} />
            <PlanMarks ticket={ticket} today={today} />
            <AssigneeMark ticket={ticket} />
          </span>
        </div>
      </th>
      <td>
        <span className="list-stage">
          <StageIcon stage={stage} />
          <span>{STAGES[stage]}</span>
        </span>
      </td>
      <td className="wide-only">
        <span className="list-roles">
          {roles.map(({ role, status }) => <RoleTag key={role} role={role} status={status} />)}
        </span>
      </td>
      <td className="wide-only">
        <Progress ticket={ticket} />
      </td>
      <td className="list-time">
        <Time at={ticket.updated_at} />
      </td>
    </tr>
  );
});

function Progress({ ticket }: { ticket: TicketSummary }) {
  const { tasks, cases, claimed_by: claim } = ticket;
  return (
    <span className="list-progress">
      {claim && (
        <span title={board.at(claim.name, claim.kind === "agent")}>
          <Avatar name={claim.name} isAgent={claim.kind === "agent"} />
          <span className="hidden">{board.at(claim.name, claim.kind === "agent")}</span>
        </span>
      )}
      <WaitingFacts ticket={ticket} />
      {tasks.total > 0 && (
        <span title={board.tasksDone(tasks.done, tasks.total)}>
          <span aria-hidden="true">{tasks.done}/{tasks.total}</span>
          <span className="hidden">{board.tasksDone(tasks.done, tasks.total)}</span>
        </span>
      )}
      {cases.total > 0 && (
        <span title={board.casesApproved(cases.approved, cases.total)}>
          <span aria-hidden="true">✓ {cases.approved}/{cases.total}</span>
          <span className="hidden">{board.casesApproved(cases.approved, cases.total)}</span>
        </span>
      )}
    </span>
  );
}
