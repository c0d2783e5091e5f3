import type { TicketSummary } from "../api/types.ts";
import { useKeys } from "../app/keys.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import type { Target } from "../data/tickets.ts";
import { board } from "../words/board.ts";
import { columnOf, type DrawnColumn } from "./columns.ts";
import { cardAtHand, focusBeside, idsOf } from "./focus.ts";
import { orderAround } from "../data/ticket_lists.ts";
import { gapBeside } from "./gaps.ts";
import type { Moving } from "./move_menu.tsx";
import type { useSelection } from "./use_selection.ts";

interface Acts {
  /** Returns the tickets to which an action at one card applies. */
  chosen: (id: string) => TicketSummary[];
  selection: ReturnType<typeof useSelection>;
  columns: readonly DrawnColumn[];
  move: (tickets: TicketSummary[], target: Target) => void;
  openMenu: (moving: Moving) => void;
}

/** Makes every action of the board and the list available by a key. */
export function useBoardKeys({ chosen, selection, columns, move, openMenu }: Acts): void {
  const atCard = (act: (id: string, card: HTMLElement) => void) => () => {
    const card = cardAtHand();
    if (card) act(card.dataset["card"]!, card);
  };
  const step = (by: number) =>
    atCard((id) => {
      const tickets = chosen(id);
      const [first] = tickets;
      const column = first && columns[columns.indexOf(columnOf(columns, first)) + by];
      if (column) move(tickets, column);
    });
  const place = (by: -1 | 1) =>
    atCard((id) => {
      const ticket = chosen(id).find((each) => each.id === id);
      const order = ticket && orderAround(ticket);
      if (!order) return sayRefused(board.notByHand);
      const gap = gapBeside(order, id, by);
      if (gap) move([ticket], { ...columnOf(columns, ticket), ...gap });
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
    "alt+ArrowDown": place(1),
    "alt+ArrowUp": place(-1),
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
