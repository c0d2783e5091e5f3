import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { WaitingItem } from "../api/types.ts";
import { useWaitingCount } from "../app/areas.tsx";
import { FirstSteps } from "../app/first_steps.tsx";
import { useKeys } from "../app/keys.ts";
import { useTitle } from "../app/title.tsx";
import { waitingChanged, waitingQuery } from "../data/waiting.ts";
import { Ghosts } from "../ui/ghosts.tsx";
import { Nothing } from "../ui/nothing.tsx";
import { waiting as words } from "../words/waiting.ts";
import { isBegun } from "../ticket/question_card.tsx";
import { Item } from "./item.tsx";

/**
 * The first page. It lists everything that waits for this person, who decides one item after the
 * other without leaving the page.
 */
export function Waiting() {
  useTitle(words.title, undefined, useWaitingCount());
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(waitingQuery);
  const items = useWithBegun(data?.pages.flatMap((page) => page.waiting));
  const list = useRef<HTMLOListElement>(null);
  const navigate = useNavigate();
  const cards = () => [...list.current?.querySelectorAll<HTMLElement>("[data-waiting]") ?? []];
  const atHand = () => cards().find((card) => card.contains(document.activeElement));
  const step = (by: number) => {
    const all = cards();
    const at = all.findIndex((card) => card.contains(document.activeElement));
    focusItem(all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]);
  };
  const press = (selector: string) => (atHand() ?? cards()[0])?.querySelector<HTMLElement>(selector)?.click();
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    a: () => press("[data-act=approve]"),
    r: () => press("[data-act=reject]"),
    o: () => press("[data-open]"),
    e: () => atHand()?.querySelector<HTMLElement>("textarea, input")?.focus(),
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((place) => [
      String(place),
      () => press(`.answer-option:nth-child(${place})`),
    ])),
  });
  /** The next item gets the focus, and this item disappears. */
  const done = (item: WaitingItem) => {
    const all = cards();
    const at = all.findIndex((card) => card.dataset["waiting"] === item.id);
    focusItem(all[at + 1] ?? all[at - 1] ?? document.querySelector<HTMLElement>("#main"));
    void waitingChanged();
  };
  return (
    <main className="page waiting" id="main" tabIndex={-1}>
      <header>
        <h1>{words.title}</h1>
        <p className="hint" role="status">{data && (items.length > 0 ? words.hint : "")}</p>
      </header>
      <FirstSteps />
      {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
      {data && items.length === 0 && <Nothing title={words.empty} hint={words.emptyHint} />}
      {!data && !error && <Ghosts rows={3} tall />}
      <ol ref={list} className="waiting-list" aria-busy={!data}>
        {items.map((item) => (
          <Item
            key={`${item.kind} ${item.id}`}
            item={item}
            done={() => done(item)}
            open={(to) => void navigate({ to })}
          />
        ))}
      </ol>
      {hasNextPage && <Button className="button" onPress={() => void fetchNextPage()}>{words.more}</Button>}
    </main>
  );
}

/**
 * Adds the questions that left the list while this person was typing an answer, so that the text
 * stays in sight.
 */
function useWithBegun(waiting: WaitingItem[] = []): WaitingItem[] {
  const shown = useRef<WaitingItem[]>([]);
  const ids = new Set(waiting.map(({ id }) => id));
  const left = shown.current.filter(({ id, kind }) => !ids.has(id) && kind === "question" && isBegun(id));
  const items = [...left, ...waiting];
  useEffect(() => {
    shown.current = items;
  }, [items]);
  return items;
}

function focusItem(card: HTMLElement | null | undefined): void {
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest" });
}
