import { type ReactNode, Suspense, useEffect, useEffectEvent, useState } from "react";
import { part } from "../api/load.ts";
import type { Project, Stage, TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { app } from "../words/app.ts";
import { board } from "../words/board.ts";
import { STAGE_ORDER } from "../words/enums.ts";
import { focusTicket } from "./focus.ts";
import type { Moving } from "./move_menu.tsx";
import { reverseMove, takeBack } from "./take_back.ts";
import { MOST_AT_ONCE, useMove } from "./use_move.ts";
import type { useSelection } from "./use_selection.ts";

const MoveMenu = part(async () => (await import("./move_menu.tsx")).MoveMenu);
const DryRun = part(async () => (await import("./dry_run.tsx")).DryRun);

/**
 * Moves of the board and the list: one ticket at once, many behind a dialog that shows what it
 * would do. The caller has to render `dialogs`.
 */
export function useMoves(project: Project, selection: ReturnType<typeof useSelection>) {
  const moveOne = useMove();
  const [moving, setMoving] = useState<Moving | null>(null);
  const [asked, setAsked] = useState<{ tickets: TicketSummary[]; stage: Stage } | null>(null);

  const move = (tickets: TicketSummary[], stage: Stage) => {
    const [first, ...others] = tickets;
    if (!first) return;
    if (project.my_role === "viewer") return sayRefused(app.viewer(project.name));
    if (tickets.length > MOST_AT_ONCE) return sayRefused(board.atMost(MOST_AT_ONCE));
    if (others.length > 0) return setAsked({ tickets, stage });
    void moveOne(first, stage);
    focusTicket(first.id, stage);
  };
  useStageDigits(moving !== null, (stage) => {
    setMoving(null);
    move(moving!.tickets, stage);
  });
  const dialogs: ReactNode = (
    <Suspense>
      {moving && (
        <MoveMenu
          moving={moving}
          isSelected={selection.selected.has(moving.tickets[0]?.id ?? "")}
          close={() => setMoving(null)}
          move={move}
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
              board.movedMany(updated, asked.stage),
              () => void takeBack(project.id, done),
            );
          }}
        />
      )}
    </Suspense>
  );
  return { move, openMenu: setMoving, dialogs };
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
