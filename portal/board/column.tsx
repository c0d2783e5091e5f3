import { dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { codeOf } from "../api/client.ts";
import { columnQuery } from "../data/tickets.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { StageIcon } from "../ui/icons.tsx";
import { board, overLimit } from "../words/board.ts";
import { STAGES } from "../words/enums.ts";
import { Card } from "./card.tsx";
import type { DrawnColumn } from "./columns.ts";
import { NotLoaded } from "./not_loaded.tsx";
import { type Filters, isByHand, isFiltered } from "./filters.ts";
import { type Aim, aimAt } from "./gaps.ts";
import { usePagesInView } from "./use_pages_in_view.ts";

/** The usual pixels of a card. */
const CARD = 96;

interface Props {
  project: string;
  column: DrawnColumn;
  filters: Filters;
  /** The tickets that the filters leave; left out where none are counted. */
  count: number | undefined;
  /** Whether it is known which columns there are. */
  isKnown: boolean;
  /** The person may not move tickets. */
  isFixed: boolean;
  selected: ReadonlySet<string>;
  /** The ref of the ticket in the panel. */
  open: string | undefined;
  /** The day in the project's time zone. */
  today: string;
}

export function Column(props: Props) {
  const { project, column, filters, count, isKnown, isFixed, selected, open, today } = props;
  const { key, stage } = column;
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage, isPending, error, refetch } =
    useInfiniteQuery({ ...columnQuery(project, column, filters), enabled: isKnown });
  const pages = data?.pages ?? [];
  const list = useRef<HTMLDivElement>(null);
  const { ref, aim } = useDropTarget(key, list);
  const isOrdered = isByHand(filters) && stage !== "live";
  const name = JSON.stringify([project, key, filters]);
  const { inView, heightOf } = usePagesInView(list, pages, { name, height: CARD });
  useKeptScroll(list, name, pages.length > 0);
  const isEmpty = !isPending && !pages.some(({ tickets }) => tickets.length > 0);
  return (
    <section
      ref={ref}
      className={`column${aim ? " over" : ""}`}
      aria-labelledby={`column-${key}`}
      data-column={key}
    >
      <ColumnName column={column} count={count} isFiltered={isFiltered(filters)} />
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
            aria-labelledby={`column-${key}`}
          >
            {aim && isOrdered && !aim.isOwn && (
              <div className="drop-line" role="presentation" style={{ top: aim.top }} />
            )}
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
                    isFixed={isFixed}
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

interface NameProps {
  column: DrawnColumn;
  count: number | undefined;
  isFiltered: boolean;
}

function ColumnName({ column: { key, stage, own }, count, isFiltered }: NameProps) {
  const limit = own?.wip_limit ?? null;
  return (
    <h2 id={`column-${key}`}>
      <StageIcon stage={stage} />
      {own
        ? (
          <span className="column-name">
            <span className="clip" dir="auto">{own.name}</span>
            <small>
              {STAGES[stage]} {limit !== null && (
                <span className={`limit${own.over_limit ? " late" : ""}`}>
                  {overLimit(own.open_tickets, limit)}
                </span>
              )}
            </small>
          </span>
        )
        : STAGES[stage]}
      {count !== undefined && (limit === null || isFiltered) && <span className="count">{count}</span>}
    </h2>
  );
}

/** Takes cards that are dropped, and knows where the dragged one would go. */
function useDropTarget(key: string, list: RefObject<HTMLElement | null>) {
  const ref = useRef<HTMLElement>(null);
  const [aim, setAim] = useState<Aim | null>(null);
  useEffect(() =>
    dropTargetForElements({
      element: ref.current!,
      getData: ({ input, source }) => ({
        column: key,
        aim: aimAt(list.current, input.clientY, source.data["ticket"] as string),
      }),
      onDragEnter: ({ self }) => setAim(self.data["aim"] as Aim),
      onDrag: ({ self }) => setAim((old) => same(old, self.data["aim"] as Aim)),
      onDragLeave: () => setAim(null),
      onDrop: () => setAim(null),
    }), [key, list]);
  return { ref, aim };
}

/** Keeps the aim while the pointer moves within one place, so that nothing is drawn again. */
function same(old: Aim | null, next: Aim): Aim {
  return old?.top === next.top && old.isOwn === next.isOwn ? old : next;
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
