import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type MouseEvent, useEffect } from "react";
import type { Stage, TicketSummary } from "../api/types.ts";
import { useProject } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { loadedTickets } from "../data/ticket_lists.ts";
import { countsQuery } from "../data/tickets.ts";
import { app } from "../words/app.ts";
import { STAGE_ORDER } from "../words/enums.ts";
import { BulkBar } from "./bulk_bar.tsx";
import { Column } from "./column.tsx";
import type { Filters } from "./filters.ts";
import { ProjectBar } from "./project_bar.tsx";
import { useBoardKeys } from "./use_board_keys.ts";
import { useMoves } from "./use_moves.tsx";
import { useSelection } from "./use_selection.ts";

const route = getRouteApi("/signed-in/$key/board");

export function Board() {
  const project = useProject();
  useTitle(app.board, project.name);
  const { ticket: open, create: _, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: counts } = useQuery(countsQuery(project.id, filters));
  const selection = useSelection();
  const { move, openMenu, dialogs } = useMoves(project, selection);
  const { selected } = selection;

  /**
   * The tickets to which a drag or a key at one ticket applies. If this ticket is selected, these
   * are all selected tickets.
   */
  const chosen = (id: string): TicketSummary[] => {
    const loaded = loadedTickets(project.id);
    const ids = selected.has(id) ? [...selected] : [id];
    return ids.flatMap((each) => loaded.get(each) ?? []);
  };
  useBoardKeys({ chosen, selection, move, openMenu });
  useEffect(() =>
    monitorForElements({
      onDrop: ({ source, location }) => {
        const stage = location.current.dropTargets[0]?.data["stage"] as Stage | undefined;
        if (stage) move(chosen(source.data["ticket"] as string), stage);
      },
    })
  );
  /** The cards are plain markup, so one listener handles all of their buttons. */
  const click = (event: MouseEvent) => {
    const target = event.target as Element;
    const card = target.closest<HTMLElement>("[data-card]");
    if (!card) return;
    const id = card.dataset["card"]!;
    const button = target.closest<HTMLElement>("[data-move]");
    if (button) openMenu({ tickets: chosen(id), from: button });
    else if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      selection.toggle(id);
    }
  };
  return (
    <main className="screen" id="main" tabIndex={-1}>
      <ProjectBar
        project={project}
        filters={filters}
        change={(next: Filters) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true })}
      />
      <div className="board" onClickCapture={click}>
        {STAGE_ORDER.map((stage) => (
          <Column
            key={stage}
            project={project.id}
            stage={stage}
            filters={filters}
            count={stage === "live" ? undefined : counts?.stages[stage]}
            selected={selected}
            open={open}
          />
        ))}
      </div>
      {selected.size > 0 && (
        <BulkBar
          count={selected.size}
          move={(stage) => move(chosen([...selected][0]!), stage)}
          clear={selection.clear}
        />
      )}
      {dialogs}
    </main>
  );
}
