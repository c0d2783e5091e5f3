import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import type { TicketPage } from "../data/ticket_pages.ts";

/** The pixels above and below the visible part in which pages are drawn, too. */
const AROUND = 1_600;

interface View {
  from: number;
  to: number;
  /** The page that has the focus, or -1. */
  focused: number;
  /** The measured pixels of pages, by their first ticket and length. */
  heights: ReadonlyMap<string, number>;
}

/** The last view of each list, so that a person who comes back finds the same place. */
const kept = new Map<string, View>();
const BEGIN: View = { from: 0, to: 1, focused: -1, heights: new Map() };

interface Options {
  /** The list's name among all lists of the portal. */
  name: string;
  /** The assumed pixels of a ticket, until its page has been drawn and measured. */
  height: number;
}

/**
 * Returns the pages of a long list that are drawn: the pages near the visible part, and the page
 * that has the focus. Other pages are replaced by an empty element of the same height, so that
 * thousands of tickets cost no more than dozens. Each page is an element with `data-page`.
 */
export function usePagesInView(
  list: RefObject<HTMLElement | null>,
  pages: readonly TicketPage[],
  { name, height }: Options,
) {
  const [view, setView] = useState<View>(() => kept.get(name) ?? BEGIN);
  const look = useEffectEvent(() => {
    const element = list.current;
    if (element) setView((old) => same(old, viewOf(element, pages, old, height)));
  });
  useEffect(() => void kept.set(name, view), [name, view]);
  const { length } = pages;
  const hasList = length > 0;
  useEffect(() => {
    const element = list.current;
    if (!element || !hasList) return;
    let frame = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => look());
    };
    element.addEventListener("scroll", later, { passive: true });
    element.addEventListener("focusin", later);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener("scroll", later);
      element.removeEventListener("focusin", later);
    };
  }, [list, hasList]);
  useEffect(() => look(), [length]);
  return {
    inView: (at: number) => at >= view.from && at <= view.to || at === view.focused,
    heightOf: (at: number) => heightOf(pages[at]!, view.heights, height),
  };
}

function keyOf({ tickets }: TicketPage): string {
  return `${tickets[0]?.id} ${tickets.length}`;
}

function heightOf(page: TicketPage, heights: View["heights"], each: number): number {
  return heights.get(keyOf(page)) ?? page.tickets.length * each;
}

function viewOf(list: HTMLElement, pages: readonly TicketPage[], old: View, each: number): View {
  const elements = Array.from(list.querySelectorAll<HTMLElement>("[data-page]"));
  const heights = pages.map((page, at) =>
    elements[at]?.querySelector("[data-card]") ? elements[at].offsetHeight : heightOf(page, old.heights, each)
  );
  return {
    ...rangeOf(list, heights),
    focused: elements.findIndex((element) => element.contains(document.activeElement)),
    heights: new Map(pages.map((page, at) => [keyOf(page), heights[at]!])),
  };
}

/** Returns the first and the last page that are in the visible part of a list or near it. */
export function rangeOf(
  { scrollTop, clientHeight }: Pick<HTMLElement, "scrollTop" | "clientHeight">,
  heights: readonly number[],
): { from: number; to: number } {
  let [top, from, to] = [0, 0, 0];
  for (const [at, height] of heights.entries()) {
    if (top + height < scrollTop - AROUND) from = at + 1;
    if (top < scrollTop + clientHeight + AROUND) to = at;
    top += height;
  }
  return { from: Math.min(from, to), to };
}

/** Keeps the old view if the next one draws nothing else. */
function same(old: View, next: View): View {
  const isSame = old.from === next.from && old.to === next.to && old.focused === next.focused &&
    old.heights.size === next.heights.size &&
    [...next.heights].every(([key, height]) => old.heights.get(key) === height);
  return isSame ? old : next;
}
