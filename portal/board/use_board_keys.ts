import type { Stage, TicketSummary } from "../api/types.ts";
import { useKeys } from "../app/keys.ts";
import { STAGE_ORDER } from "../words/enums.ts";
import { sayDone } from "../app/toasts.tsx";
import { board } from "../words/board.ts";
import { cardAtHand, focusBeside, idsOf } from "./focus.ts";
import type { Moving } from "./move_menu.tsx";
import type { useSelection } from "./use_selection.ts";

interface Acts {
  /** Returns the tickets to which an action at one card applies. */
  chosen: (id: string) => TicketSummary[];
  selection: ReturnType<typeof useSelection>;
  move: (tickets: TicketSummary[], stage: Stage) => void;
  openMenu: (moving: Moving) => void;
}

/** Makes every action of the board and the list available by a key. */
export function useBoardKeys({ chosen, selection, move, openMenu }: Acts): void {
  const atCard = (act: (id: string, card: HTMLElement) => void) => () => {
    const card = cardAtHand();
    if (card) act(card.dataset["card"]!, card);
  };
  const step = (by: number) =>
    atCard((id) => {
      const tickets = chosen(id);
      const stage = STAGE_ORDER[STAGE_ORDER.indexOf(tickets[0]?.stage ?? "live") + by];
      if (stage) move(tickets, stage);
    });
  /** While a ticket is open, the next one opens in its place. */
  const go = (by: number) => () => {
    const isOpen = document.querySelector("[data-card].open") !== null;
    focusBeside(0, by);
    if (isOpen) document.activeElement?.closest("[data-card]")?.querySelector("a")?.click();
  };
  const sideways = (by: number) => (event: KeyboardEvent) => event.shiftKey ? step(by)() : focusBeside(by, 0);
  useKeys({
    j: go(1),
    k: go(-1),
    h: () => focusBeside(-1, 0),
    l: () => focusBeside(1, 0),
    ArrowDown: () => focusBeside(0, 1),
    ArrowUp: () => focusBeside(0, -1),
    ArrowLeft: sideways(-1),
    ArrowRight: sideways(1),
    x: atCard((id) => selection.toggle(id)),
    m: atCard((id, from) => openMenu({ tickets: chosen(id), from })),
    "mod+a": atCard((_, card) => {
      const ids = idsOf(card);
      selection.add(ids);
      sayDone(board.selectedLoaded(ids.length));
    }),
    ...(selection.selected.size > 0 && { Escape: selection.clear }),
  });
}
