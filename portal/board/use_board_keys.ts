import type { Stage, TicketSummary } from "../api/types.ts";
import { useKeys } from "../app/keys.ts";
import { STAGE_ORDER } from "../words/enums.ts";
import { cardAtHand, focusBeside } from "./focus.ts";
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
  const sideways = (by: number) => (event: KeyboardEvent) => event.shiftKey ? step(by)() : focusBeside(by, 0);
  useKeys({
    j: () => focusBeside(0, 1),
    k: () => focusBeside(0, -1),
    h: () => focusBeside(-1, 0),
    l: () => focusBeside(1, 0),
    ArrowDown: () => focusBeside(0, 1),
    ArrowUp: () => focusBeside(0, -1),
    ArrowLeft: sideways(-1),
    ArrowRight: sideways(1),
    x: atCard((id) => selection.toggle(id)),
    m: atCard((id, from) => openMenu({ tickets: chosen(id), from })),
    "mod+a": atCard((_, card) => {
      const cards = card.closest("[data-column]")?.querySelectorAll<HTMLElement>("[data-card]") ?? [];
      selection.add([...cards].map(({ dataset }) => dataset["card"]!));
    }),
    ...(selection.selected.size > 0 && { Escape: selection.clear }),
  });
}
