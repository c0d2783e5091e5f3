import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { groupQuery, groupsQuery, type TicketGrouping } from "../data/ticket_groups.ts";
import { ChevronRight } from "../ui/icons.tsx";
import { app } from "../words/app.ts";
import { list } from "../words/list.ts";
import { views as words } from "../words/views.ts";
import { isUnreadable } from "./column.tsx";
import { type Group, GroupName } from "./group_name.tsx";
import type { ListProps } from "./list.tsx";
import { GhostRows, ListHead, ListRows, widthOf } from "./list_row.tsx";
import { NotLoaded } from "./not_loaded.tsx";

interface Props extends ListProps {
  by: TicketGrouping;
}

/** Tickets in groups by a field. The tickets of a group are read when it comes near the visible part. */
export function GroupedList(props: Props) {
  const { by, project, filters, scroller, columns } = props;
  const { sort: _, ...conditions } = filters;
  const { data, error, refetch, isPending } = useQuery({
    ...groupsQuery(project, by, conditions),
    placeholderData: keepPreviousData,
  });
  const groups = data?.groups ?? [];
  useKeptScroll(scroller, JSON.stringify([project, "list", by, filters]), groups.length > 0);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const turn = (value: string) =>
    setClosed((old) => {
      const next = new Set(old);
      if (!next.delete(value)) next.add(value);
      return next;
    });
  const isEmpty = groups.length === 0 && (data !== undefined || isUnreadable(error));
  return (
    <>
      <table className="grouped" aria-busy={isPending}>
        <caption className="hidden">{list.title}</caption>
        <ListHead columns={columns} />
        {isPending && (
          <tbody>
            <GhostRows columns={columns} rows={4} />
          </tbody>
        )}
        {groups.map((group) => (
          <GroupRows
            key={group.value}
            {...props}
            group={group}
            isClosed={closed.has(group.value)}
            turn={turn}
          />
        ))}
      </table>
      {isEmpty && <p className="empty">{list.empty}</p>}
      {data !== undefined && data.left_out > 0 && <p className="empty">{words.leftOut(data.left_out)}</p>}
      {error && !data && !isUnreadable(error) && <NotLoaded again={refetch} />}
    </>
  );
}

interface GroupProps extends Props {
  group: Group;
  isClosed: boolean;
  turn: (value: string) => void;
}

function GroupRows({ by, group, isClosed, turn, project, filters, scroller, ...rows }: GroupProps) {
  const { sort = "-updated_at", ...conditions } = filters;
  const body = useRef<HTMLTableSectionElement>(null);
  const { isNear, height } = useNear(body, scroller);
  const asked = { group_by: by, group: group.value };
  const { data, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, error, refetch } =
    useInfiniteQuery({
      ...groupQuery(project, asked, { ...conditions, sort }),
      enabled: isNear && !isClosed,
    });
  const all = widthOf(rows.columns);
  return (
    <tbody ref={body}>
      <tr className="group-row">
        <th colSpan={all} scope="rowgroup">
          <Button
            className="group-button"
            aria-expanded={!isClosed}
            onPress={() => turn(group.value)}
          >
            <ChevronRight />
            <GroupName by={by} group={group} />
            <span className="count">{group.count}</span>
          </Button>
        </th>
      </tr>
      {!isClosed && !isNear && (
        <tr aria-hidden="true">
          <td colSpan={all} style={{ height: height ?? 39 * Math.min(group.count, 50) }} />
        </tr>
      )}
      {!isClosed && isNear && (
        <>
          {isPending && !error && <GhostRows columns={rows.columns} rows={Math.min(group.count, 4)} />}
          {data?.pages.map(({ tickets }, at) => <ListRows key={at} tickets={tickets} {...rows} />)}
          {error && !data && (
            <tr>
              <td colSpan={all}>
                <NotLoaded again={refetch} />
              </td>
            </tr>
          )}
          {hasNextPage && (
            <tr>
              <td colSpan={all}>
                <Button
                  className="button quiet"
                  isPending={isFetchingNextPage}
                  onPress={() => void fetchNextPage()}
                >
                  {app.showMore}
                </Button>
              </td>
            </tr>
          )}
        </>
      )}
    </tbody>
  );
}

/** The pixels around the visible part in which groups are drawn, too. */
const AROUND = "1200px";

/**
 * Tells whether an element is near the visible part of its scroller, and its height without the name of
 * the group when it was there last. An element with the focus stays.
 */
function useNear(element: RefObject<HTMLElement | null>, scroller: RefObject<HTMLElement | null>) {
  const [state, setState] = useState<{ isNear: boolean; height?: number }>({ isNear: false });
  useEffect(() => {
    const own = element.current!;
    const seen = new IntersectionObserver(
      (entries) => {
        const isNear = entries.at(-1)!.isIntersecting;
        if (!isNear && own.contains(document.activeElement)) return;
        setState((old) => {
          if (old.isNear === isNear) return old;
          if (isNear) return { ...old, isNear };
          const name = own.querySelector<HTMLElement>(".group-row")?.offsetHeight ?? 0;
          return { isNear, height: own.offsetHeight - name };
        });
      },
      { root: scroller.current, rootMargin: AROUND },
    );
    seen.observe(own);
    return () => seen.disconnect();
  }, [element, scroller]);
  return state;
}
