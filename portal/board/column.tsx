import { dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { codeOf } from "../api/client.ts";
import type { Stage } from "../api/types.ts";
import { stageQuery } from "../data/tickets.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { StageIcon } from "../ui/icons.tsx";
import { board } from "../words/board.ts";
import { STAGES } from "../words/enums.ts";
import { Card } from "./card.tsx";
import { NotLoaded } from "./not_loaded.tsx";
import { type Filters, isFiltered } from "./filters.ts";
import { usePagesInView } from "./use_pages_in_view.ts";

/** The usual pixels of a card. */
const CARD = 96;

interface Props {
  project: string;
  stage: Stage;
  filters: Filters;
  count: number | undefined;
  selected: ReadonlySet<string>;
  /** The ref of the ticket in the panel. */
  open: string | undefined;
  /** The day in the project's time zone. */
  today: string;
}

export function Column({ project, stage, filters, count, selected, open, today }: Props) {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage, isPending, error, refetch } =
    useInfiniteQuery(
      stageQuery(project, stage, filters),
    );
  const pages = data?.pages ?? [];
  const { ref, isOver } = useDropTarget(stage);
  const list = useRef<HTMLDivElement>(null);
  const name = JSON.stringify([project, stage, filters]);
  const { inView, heightOf } = usePagesInView(list, pages, { name, height: CARD });
  useKeptScroll(list, name, pages.length > 0);
  const isEmpty = !isPending && !pages.some(({ tickets }) => tickets.length > 0);
  return (
    <section
      ref={ref}
      className={`column${isOver ? " over" : ""}`}
      aria-labelledby={`stage-${stage}`}
      data-column={stage}
    >
      <h2 id={`stage-${stage}`}>
        <StageIcon stage={stage} />
        {STAGES[stage]}
        {count !== undefined && <span className="count">{count}</span>}
      </h2>
      {isEmpty
        ? (error && !isUnreadable(error)
          ? <NotLoaded again={refetch} />
          : <p className="empty">{isFiltered(filters) ? board.emptyFiltered : board.emptyColumn}</p>)
        : (
          <div
            ref={list}
            className="cards"
            role="list"
            aria-busy={isPending}
            aria-labelledby={`stage-${stage}`}
          >
            {pages.map(({ tickets }, at) => (
              <div
                key={at}
                role="presentation"
                className="cards-page"
                data-page
                style={inView(at) ? undefined : { height: heightOf(at) }}
              >
                {inView(at) && tickets.map((ticket, place) => (
                  <Card
                    key={ticket.id}
                    ticket={ticket}
                    isSelected={selected.has(ticket.id)}
                    isOpen={open === ticket.ticket_ref}
                    isFirst={at === 0 && place === 0}
                    today={today}
                  />
                ))}
              </div>
            ))}
            {isPending &&
              [0, 1, 2].map((place) => <div key={place} className="card ghost" role="presentation" />)}
            {hasNextPage && (
              <More
                pages={pages.length}
                load={() => !isFetchingNextPage && void fetchNextPage()}
              />
            )}
          </div>
        )}
    </section>
  );
}

/** Whether the service can't read the filter. The bar says so. */
export function isUnreadable(error: unknown): boolean {
  return codeOf(error) === "invalid_request";
}

function useDropTarget(stage: Stage) {
  const ref = useRef<HTMLElement>(null);
  const [isOver, setOver] = useState(false);
  useEffect(() =>
    dropTargetForElements({
      element: ref.current!,
      getData: () => ({ stage }),
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: () => setOver(false),
    }), [stage]);
  return { ref, isOver };
}

/** Reads the next page when the end of the column is nearly visible, as often as it is after a page. */
export function More({ pages, load }: { pages: number; load: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const loadNext = useEffectEvent(load);
  useEffect(() => {
    const seen = new IntersectionObserver(([entry]) => entry!.isIntersecting && loadNext(), {
      rootMargin: "800px",
    });
    seen.observe(ref.current!);
    return () => seen.disconnect();
  }, [pages]);
  return <div ref={ref} className="card ghost" role="presentation" />;
}
