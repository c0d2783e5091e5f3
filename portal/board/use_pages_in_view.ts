import { type RefObject, useEffect, useRef, useState } from "react";

/** Pixels above and below what is seen in which pages are drawn too. */
const AROUND = 1_600;
/** Pixels of a card, until its page has been drawn and measured. */
const CARD = 96;

/**
 * Which pages of a long list are drawn: those near what is seen, and the one that has the focus.
 * The others are an empty place of their height, so that thousands of tickets cost no more than
 * dozens.
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
