import { type RefObject, useEffect, useLayoutEffect } from "react";

/** The places to which elements are scrolled, by their names, for as long as the page is open. */
const kept = new Map<string, { top: number; left: number }>();

/**
 * Keeps where an element is scrolled to, so that a person who comes back from a ticket is where they
 * were. `isReady` says that the element has its content.
 */
export function useKeptScroll(ref: RefObject<HTMLElement | null>, name: string, isReady: boolean): void {
  useLayoutEffect(() => {
    const place = kept.get(name);
    if (isReady && place) ref.current?.scrollTo(place);
  }, [ref, name, isReady]);
  useEffect(() => {
    const element = ref.current;
    if (!element || !isReady) return;
    const keep = () => kept.set(name, { top: element.scrollTop, left: element.scrollLeft });
    element.addEventListener("scroll", keep, { passive: true });
    return () => element.removeEventListener("scroll", keep);
  }, [ref, name, isReady]);
}
