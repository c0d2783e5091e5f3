import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import type { Stage } from "../api/types.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { useProject } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { countsQuery } from "../data/tickets.ts";
import { useToday } from "../ui/days.ts";
import { ViewMenu } from "../views/view_menu.tsx";
import { app } from "../words/app.ts";
import { STAGE_ORDER } from "../words/enums.ts";
import { scrollWhileDragging } from "./auto_scroll.ts";
import { Column } from "./column.tsx";
import type { Filters } from "./filters.ts";
import { ProjectBar } from "./project_bar.tsx";
import { useTicketSelection } from "./use_ticket_selection.tsx";

const route = getRouteApi("/signed-in/$key/board");

export function Board() {
  const project = useProject();
  useTitle(app.board, project.name);
  const { ticket: open, create: _, view, group, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: counts, error } = useQuery(countsQuery(project.id, filters));
  const today = useToday(project.time_zone);
  const { selected, move, click, dialogs } = useTicketSelection(project);
  const board = useRef<HTMLDivElement>(null);
  const drop = useEffectEvent(move);
  useEffect(() =>
    monitorForElements({
      onDrop: ({ source, location }) => {
        const stage = location.current.dropTargets[0]?.data["stage"] as Stage | undefined;
        if (stage) drop(source.data["ticket"] as string, stage);
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
        {STAGE_ORDER.map((stage) => (
          <Column
            key={stage}
            project={project.id}
            stage={stage}
            filters={filters}
            count={stage === "live" ? undefined : counts?.stages[stage]}
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
