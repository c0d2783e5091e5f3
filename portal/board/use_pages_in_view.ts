import { type RefObject, useEffect, useRef, useState } from "react";

/** The pixels above and below the visible part in which pages are drawn, too. */
const AROUND = 1_600;
/** The assumed pixels of a card, until its page has been drawn and measured. */
const CARD = 96;

/**
 * Returns the pages of a long list that are drawn: the pages near the visible part, and the page
 * that has the focus. Other pages are replaced by an empty element of the same height, so that
 * thousands of tickets cost no more than dozens.
 */
export function usePagesInView(list: RefObject<HTMLElement | null>, sizes: number[]) {
  const heights = useRef<number[]>([]);
  const elements = useRef<(HTMLElement | null)[]>([]);
  const [range, setRange] = useState({ from: 0, to: 1 });
  const heightOf = (at: number) => heights.current[at] ?? sizes[at]! * CARD;
  const look = useRef(() => {});
  look.current = () => {
    const element = list.current;
    if (!element) return;
    for (const [at, page] of elements.current.entries()) {
      if (page?.firstChild) heights.current[at] = page.offsetHeight;
    }
    const next = rangeOf(element, sizes.map((_, at) => heightOf(at)));
    setRange((old) => old.from === next.from && old.to === next.to ? old : next);
  };
  const count = sizes.length;
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    look.current();
    let frame = 0;
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => look.current());
    };
    element.addEventListener("scroll", later, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener("scroll", later);
    };
  }, [list, count]);
  return {
    inView: (at: number) =>
      (at >= range.from && at <= range.to) || !!elements.current[at]?.contains(document.activeElement),
    heightOf,
    measure: (at: number, element: HTMLElement | null) => {
      elements.current[at] = element;
    },
  };
}

function rangeOf({ scrollTop, clientHeight }: HTMLElement, heights: number[]) {
  let [top, from, to] = [0, 0, 0];
  for (const [at, height] of heights.entries()) {
    if (top + height < scrollTop - AROUND) from = at + 1;
    if (top < scrollTop + clientHeight + AROUND) to = at;
    top += height;
  }
  return { from: Math.min(from, to), to };
}
