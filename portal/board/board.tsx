import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { useProject } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { countsQuery } from "../data/tickets.ts";
import { useToday } from "../ui/days.ts";
import { ViewMenu } from "../views/view_menu.tsx";
import { app } from "../words/app.ts";
import { scrollWhileDragging } from "./auto_scroll.ts";
import { Column } from "./column.tsx";
import { type DrawnColumn, useColumns, WHOLE_STAGES } from "./columns.ts";
import { type Filters, isByHand, isFiltered } from "./filters.ts";
import type { Aim } from "./gaps.ts";
import { ProjectBar } from "./project_bar.tsx";
import { useTicketSelection } from "./use_ticket_selection.tsx";

const route = getRouteApi("/signed-in/$key/board");

export function Board() {
  const project = useProject();
  useTitle(app.board, project.name);
  const { ticket: open, create: _, view, group, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const columns = useColumns(project.id);
  const shown = columns ?? WHOLE_STAGES;
  const byColumn = isFiltered(filters) && shown.some(({ own }) => own !== null);
  const { data: counts, error } = useQuery(
    countsQuery(project.id, filters, byColumn ? { by_column: true } : {}),
  );
  const countOf = ({ stage, own }: DrawnColumn) => {
    if (stage === "live") return undefined;
    if (own === null) return counts?.stages[stage];
    return byColumn ? counts && (counts.columns?.[own.id] ?? 0) : own.open_tickets;
  };
  const today = useToday(project.time_zone);
  const { selected, move, click, dialogs } = useTicketSelection(project);
  const board = useRef<HTMLDivElement>(null);
  const drop = useEffectEvent((id: string, key: string, { above, below, isOwn }: Aim) => {
    const column = shown.find((each) => each.key === key);
    if (!column || isOwn) return;
    const { stage, column_id } = column;
    const gap = isByHand(filters) && stage !== "live" ? { above, below } : {};
    move(id, { stage, column_id, ...gap });
  });
  useEffect(() =>
    monitorForElements({
      onDrop: ({ source, location }) => {
        const { column, aim } = location.current.dropTargets[0]?.data ?? {};
        if (aim) drop(source.data["ticket"] as string, column as string, aim as Aim);
      },
    }), []);
  useEffect(() => scrollWhileDragging(board.current!), []);
  useKeptScroll(board, `board ${project.id}`, true);
  // Without a card nothing inside takes the focus, and keys could not scroll the board.
  const isEmpty = counts ? Object.values(counts.stages).every((count) => count === 0) : error !== null;
  return (
    <main className="screen" id="main" tabIndex={-1}>
      <ProjectBar
        project={project}
        filters={filters}
        change={(next: Filters) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true })}
      >
        <ViewMenu project={project} layout="board" shown={{ ...filters, view, group }} />
      </ProjectBar>
      <div ref={board} className="board" onClickCapture={click} tabIndex={isEmpty ? 0 : undefined}>
        {shown.map((column) => (
          <Column
            key={column.key}
            project={project.id}
            column={column}
            filters={filters}
            count={countOf(column)}
            isKnown={columns !== undefined}
            isFixed={project.my_role === "viewer"}
            selected={selected}
            open={open}
            today={today}
          />
        ))}
      </div>
      {dialogs}
    </main>
  );
}
