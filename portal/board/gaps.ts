import type { TicketSummary } from "../api/types.ts";
import { orderAround } from "../data/ticket_lists.ts";

/** A place between two tickets of a column in the order by hand; null is the column's end. */
export interface Gap {
  above: string | null;
  below: string | null;
}

/** A place under the pointer. */
export interface Aim extends Gap {
  /** The pixels from the beginning of the list. */
  top: number;
  /** The ticket is there already. */
  isOwn: boolean;
}

/** The place that a ticket has now; null if its column isn't shown in the order by hand. */
export function gapOf(ticket: TicketSummary): Gap | null {
  const ids = orderAround(ticket);
  if (!ids) return null;
  const at = ids.indexOf(ticket.id);
  return { above: ids[at - 1] ?? null, below: ids[at + 1] ?? null };
}

/** The place of a ticket after one step up or down; null at the end of the column. */
export function gapBeside(ids: readonly string[], id: string, by: -1 | 1): Gap | null {
  const at = ids.indexOf(id);
  if (ids[at + by] === undefined) return null;
  const [above, below] = by < 0 ? [ids[at - 2], ids[at - 1]] : [ids[at + 1], ids[at + 2]];
  return { above: above ?? null, below: below ?? null };
}

/** The place of a list at which a dragged ticket would be dropped. */
export function aimAt(list: HTMLElement | null, y: number, id: string): Aim {
  if (!list) return { above: null, below: null, top: 0, isOwn: false };
  const all = Array.from(list.querySelectorAll<HTMLElement>("[data-card]"));
  const cards = all.filter(({ dataset }) => dataset["card"] !== id);
  const found = cards.findIndex((card) => {
    const { top, height } = card.getBoundingClientRect();
    return y < top + height / 2;
  });
  const at = found < 0 ? cards.length : found;
  const [above, below] = [cards[at - 1], cards[at]];
  const edge = below ? below.getBoundingClientRect().top - 5 : above?.getBoundingClientRect().bottom ?? 0;
  return {
    above: above?.dataset["card"] ?? null,
    below: below?.dataset["card"] ?? null,
    top: edge - list.getBoundingClientRect().top + list.scrollTop,
    isOwn: all.length > cards.length && all[at]?.dataset["card"] === id,
  };
}
