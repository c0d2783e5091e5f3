import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { app } from "../words/app.ts";

interface Titled {
  title: string;
  count: number;
}

/** The screens and panels that are shown, the newest last. The newest names the page. */
const shown: Titled[] = [];
const listeners = new Set<() => void>();

function changed(): void {
  const { title = "", count = 0 } = shown.at(-1) ?? {};
  document.title = `${count > 0 ? `(${count}) ` : ""}${title ? `${title} · ` : ""}${app.name}`;
  for (const listener of listeners) listener();
}

/**
 * Names the page in its tab and in the browser's history: the screen, then the thing to which the
 * screen belongs. A count of what is new comes first, because tabs are narrow.
 */
export function useTitle(screen: string | undefined, of?: string, count = 0): void {
  const own = useRef<Titled>({ title: "", count: 0 }).current;
  useEffect(() => {
    shown.push(own);
    return () => {
      shown.splice(shown.indexOf(own), 1);
      changed();
    };
  }, [own]);
  const title = [screen, of].filter(Boolean).join(" · ");
  useEffect(() => {
    Object.assign(own, { title, count });
    changed();
  }, [own, title, count]);
}

/**
 * Tells a screen reader which screen has come, as a browser does for a page. The focus goes into
 * the screen if the link that led there is gone.
 */
export function ScreenNews() {
  const title = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => shown.at(-1)?.title ?? "");
  const [said, say] = useState("");
  const first = useRef("");
  useEffect(() => {
    // The browser itself tells of the first screen.
    if (first.current === "") first.current = title;
    else say(title);
  }, [title]);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const left = useRef(path);
  useEffect(() => {
    const isMove = left.current !== undefined && left.current !== path;
    left.current = path;
    if (isMove && document.activeElement === document.body) document.getElementById("main")?.focus();
  }, [path]);
  return <p role="status" className="hidden">{said}</p>;
}
