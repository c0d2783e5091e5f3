import type { MouseEvent, ReactNode } from "react";
import type { Project, TicketSummary } from "../api/types.ts";
import { loadedTickets } from "../data/ticket_lists.ts";
import type { Target } from "../data/tickets.ts";
import { BulkBar } from "./bulk_bar.tsx";
import { BulkFields } from "./bulk_fields.tsx";
import { firstOf } from "./columns.ts";
import { idsOf } from "./focus.ts";
import { useBoardKeys } from "./use_board_keys.ts";
import { useBulkChange } from "./use_bulk_change.ts";
import { useMoves } from "./use_moves.tsx";
import { useSelection } from "./use_selection.ts";

/** The tickets from one card to another of the same column, or the one if they are in two. */
function cardsTo(card: HTMLElement, from: string | undefined): string[] {
  const ids = idsOf(card);
  const [start, end] = [ids.indexOf(from ?? ""), ids.indexOf(card.dataset["card"]!)];
  return start < 0 ? [ids[end]!] : ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/**
 * The selected tickets of the board or the list, with the keys and clicks that select and move
 * tickets. The caller has to render `dialogs`.
 */
export function useTicketSelection(project: Project) {
  const selection = useSelection();
  const { selected, toggle, clear } = selection;
  const moves = useMoves(project, selection);
  const changeMany = useBulkChange(project);
  /** The tickets to which an act at one ticket applies: all selected ones, if it is one of them. */
  const chosen = (id: string): TicketSummary[] => {
    const loaded = loadedTickets(project.id);
    return (selected.has(id) ? [...selected] : [id]).flatMap((each) => loaded.get(each) ?? []);
  };
  const move = (id: string, target: Target) => moves.move(chosen(id), target);
  useBoardKeys({ chosen, selection, ...moves });
  /** The cards are plain markup, so one listener handles all of their buttons. */
  const click = (event: MouseEvent) => {
    const target = event.target as Element;
    const card = target.closest<HTMLElement>("[data-card]");
    if (!card) return;
    const id = card.dataset["card"]!;
    const button = target.closest<HTMLElement>("[data-move]");
    if (button) moves.openMenu({ tickets: chosen(id), from: button });
    else if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      toggle(id);
    } else if (event.shiftKey) {
      event.preventDefault();
      selection.add(cardsTo(card, selection.last));
    }
  };
  const [first] = selected;
  const dialogs: ReactNode = (
    <>
      {first !== undefined && (
        <BulkBar
          count={selected.size}
          move={(stage) => move(first, firstOf(moves.columns, stage))}
          clear={clear}
          fields={<BulkFields project={project} tickets={() => chosen(first)} change={changeMany} />}
        />
      )}
      {moves.dialogs}
    </>
  );
  return { selected, toggle, move, click, dialogs };
}
