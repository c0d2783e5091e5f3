import { type ReactNode, Suspense, useEffect, useEffectEvent, useState } from "react";
import { part } from "../api/load.ts";
import type { Project, Stage, TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { endOfColumn, type Target } from "../data/tickets.ts";
import { app } from "../words/app.ts";
import { board } from "../words/board.ts";
import { STAGE_ORDER, STAGES } from "../words/enums.ts";
import { columnOf, firstOf, useColumns, WHOLE_STAGES } from "./columns.ts";
import { focusTicket } from "./focus.ts";
import type { Moving } from "./move_menu.tsx";
import { reverseMove, takeBack } from "./take_back.ts";
import { useBulkChange } from "./use_bulk_change.ts";
import { MOST_AT_ONCE, useMove } from "./use_move.ts";
import type { useSelection } from "./use_selection.ts";

const MoveMenu = part(async () => (await import("./move_menu.tsx")).MoveMenu);
const DryRun = part(async () => (await import("./dry_run.tsx")).DryRun);

/**
 * Moves of the board and the list: one ticket at once, many behind a dialog that shows what it
 * would do. The caller has to render `dialogs`.
 */
export function useMoves(project: Project, selection: ReturnType<typeof useSelection>) {
  const known = useColumns(project.id);
  const columns = known ?? WHOLE_STAGES;
  const moveOne = useMove(columns);
  const changeMany = useBulkChange(project);
  const [moving, setMoving] = useState<Moving | null>(null);
  const [asked, setAsked] = useState<{ tickets: TicketSummary[]; stage: Stage } | null>(null);

  const move = (tickets: TicketSummary[], target: Target) => {
    const { stage, column_id } = target;
    const [first, ...others] = tickets;
    if (!first) return;
    if (project.my_role === "viewer") return sayRefused(app.viewer(project.name));
    if (tickets.length > MOST_AT_ONCE) return sayRefused(board.atMost(MOST_AT_ONCE));
    if (others.length > 0) {
      if (tickets.some((ticket) => ticket.stage !== stage)) return setAsked({ tickets, stage });
      return void changeColumn(tickets, { stage, column_id });
    }
    void moveOne(first, target);
    focusTicket(first.id, column_id ?? stage);
  };
  /** Brings tickets into another column of their stage, which passes no gate. */
  const changeColumn = async (tickets: TicketSummary[], { stage, column_id }: Target) => {
    const into = columns.find((column) => column.stage === stage && column.column_id === column_id);
    const moved = tickets.filter((ticket) => columnOf(columns, ticket) !== into);
    if (!into || moved.length === 0) return;
    selection.clear();
    await changeMany(moved, {
      set: { column_id },
      former: ({ column_id }) => ({ column_id }),
    });
  };
  const moveToEnd = async (ticket: TicketSummary, end: "top" | "bottom") => {
    const { stage, column_id } = columnOf(columns, ticket);
    const [anchor] = await endOfColumn(project.id, { stage, column_id }, end);
    if (!anchor || anchor.id === ticket.id) return;
    const gap = end === "top" ? { above: null, below: anchor.id } : { above: anchor.id, below: null };
    move([ticket], { stage, column_id, ...gap });
  };
  useStageDigits(moving !== null, (stage) => {
    setMoving(null);
    move(moving!.tickets, firstOf(columns, stage));
  });
  const dialogs: ReactNode = (
    <Suspense>
      {moving && (
        <MoveMenu
          moving={moving}
          columns={columns}
          isSelected={selection.selected.has(moving.tickets[0]?.id ?? "")}
          close={() => setMoving(null)}
          move={move}
          moveToEnd={(ticket, end) => void moveToEnd(ticket, end).catch((error) => sayRefused(error))}
          toggle={selection.toggle}
        />
      )}
      {asked && (
        <DryRun
          project={project}
          {...asked}
          close={() => setAsked(null)}
          done={({ updated, results }) => {
            selection.clear();
            const done = { tickets: asked.tickets, results, reverse: reverseMove };
            sayDone(
              board.movedMany(updated, STAGES[asked.stage]),
              () => void takeBack(project.id, done),
            );
          }}
        />
      )}
    </Suspense>
  );
  return { columns, move, openMenu: setMoving, dialogs };
}

/**
 * Moves by the digits beside the stages, because a menu by itself only looks for names. A digit
 * counts from the key that opens the menu on, also while the menu is still being loaded.
 */
function useStageDigits(isOpen: boolean, choose: (stage: Stage) => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const stage = STAGE_ORDER[Number(event.key) - 1];
    if (!stage) return;
    event.preventDefault();
    choose(stage);
  });
  useEffect(() => {
    if (!isOpen) return;
    document.addEventListener("keydown", press, true);
    return () => document.removeEventListener("keydown", press, true);
  }, [isOpen]);
}
