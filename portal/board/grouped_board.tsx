import { dropTargetForElements, monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import {
  type MouseEvent,
  type RefObject,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { part } from "../api/load.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { useKeys } from "../app/keys.ts";
import { useProject } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { sayRefused } from "../app/toasts.tsx";
import { milestonesQuery } from "../data/milestones.ts";
import { loadedTickets } from "../data/ticket_lists.ts";
import { groupQuery, groupsQuery, type TicketGrouping } from "../data/ticket_groups.ts";
import { useToday } from "../ui/days.ts";
import { ViewMenu } from "../views/view_menu.tsx";
import { app } from "../words/app.ts";
import { board as boardWords } from "../words/board.ts";
import { list } from "../words/list.ts";
import { PRIORITIES } from "../words/enums.ts";
import { views as words } from "../words/views.ts";
import { scrollWhileDragging } from "./auto_scroll.ts";
import { Card } from "./card.tsx";
import { isUnreadable, More } from "./column.tsx";
import type { Filters } from "./filters.ts";
import { cardAtHand, focusBeside } from "./focus.ts";
import { GroupChoice } from "./group_choice.tsx";
import { type Group, GroupName, nameOf } from "./group_name.tsx";
import { NotLoaded } from "./not_loaded.tsx";
import { ProjectBar } from "./project_bar.tsx";
import { regroup } from "./regroup.ts";
import { usePagesInView } from "./use_pages_in_view.ts";

const OpenMenu = part(async () => (await import("../ui/open_menu.tsx")).default);
const route = getRouteApi("/signed-in/$key/board");
/** The usual pixels of a card. */
const CARD = 96;

/** The open tickets in columns by a field. A card that is moved gets the field's other value. */
export function GroupedBoard({ by }: { by: TicketGrouping }) {
  const project = useProject();
  useTitle(app.board, project.name);
  const { ticket: open, create: _, view, group, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const today = useToday(project.time_zone);
  const { groups, leftOut, isPending, error, refetch } = useGroups(project.id, by, filters.q);
  const [moving, setMoving] = useState<{ card: HTMLElement; from: HTMLElement } | null>(null);
  const board = useRef<HTMLDivElement>(null);
  const groupOf = (card: HTMLElement) =>
    groups.find(({ value }) => value === card.closest<HTMLElement>("[data-column]")?.dataset["column"]);
  const move = (card: HTMLElement, to: Group | undefined) => {
    const ticket = loadedTickets(project.id).get(card.dataset["card"]!);
    const from = groupOf(card);
    if (!ticket || !from || !to) return;
    if (project.my_role === "viewer") return sayRefused(app.viewer(project.name));
    void regroup(by, ticket, from, to);
  };
  const drop = useEffectEvent((card: HTMLElement, value: string) =>
    move(card, groups.find((group) => group.value === value))
  );
  useEffect(() =>
    monitorForElements({
      onDrop: ({ source, location }) => {
        const value = location.current.dropTargets[0]?.data["group"] as string | undefined;
        if (value !== undefined) drop(source.element, value);
      },
    }), []);
  useEffect(() => scrollWhileDragging(board.current!), []);
  useKeptScroll(board, `board ${project.id} ${by}`, groups.length > 0);
  const step = (by: number) => (event: KeyboardEvent) => {
    const card = cardAtHand();
    if (!event.shiftKey) return focusBeside(by, 0);
    if (card) move(card, groups[groups.indexOf(groupOf(card)!) + by]);
  };
  useKeys({
    j: () => focusBeside(0, 1),
    k: () => focusBeside(0, -1),
    h: () => focusBeside(-1, 0),
    l: () => focusBeside(1, 0),
    ArrowDown: () => focusBeside(0, 1),
    ArrowUp: () => focusBeside(0, -1),
    ArrowLeft: step(-1),
    ArrowRight: step(1),
    m: () => {
      const card = cardAtHand();
      if (card) setMoving({ card, from: card });
    },
  });
  const click = ({ target }: MouseEvent) => {
    const from = (target as Element).closest<HTMLElement>("[data-move]");
    if (from) setMoving({ card: from.closest<HTMLElement>("[data-card]")!, from });
  };
  const change = (next: Filters & { group?: typeof group }) =>
    void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  const isEmpty = groups.every(({ count }) => count === 0) && (!isPending || isUnreadable(error));
  return (
    <main className="screen" id="main" tabIndex={-1}>
      <ProjectBar project={project} filters={filters} change={change}>
        <GroupChoice layout="board" group={group} change={(group) => change({ group })} />
        <ViewMenu project={project} layout="board" shown={{ ...filters, view, group }} />
      </ProjectBar>
      <div
        ref={board}
        className="board"
        onClickCapture={click}
        tabIndex={isEmpty ? 0 : undefined}
        aria-busy={isPending}
      >
        {groups.map((group) => (
          <GroupColumn
            key={group.value}
            project={project.id}
            by={by}
            group={group}
            filters={filters}
            open={open}
            isFixed={project.my_role === "viewer"}
            today={today}
          />
        ))}
        {groups.length === 0 && !isPending && (!error || isUnreadable(error)) && (
          <p className="empty">{list.empty}</p>
        )}
        {error && !isUnreadable(error) && groups.length === 0 && <NotLoaded again={refetch} />}
        {leftOut > 0 && <p className="empty">{words.leftOut(leftOut)}</p>}
      </div>
      <Suspense>
        {moving && (
          <OpenMenu
            label={boardWords.moveTo}
            trigger={{ current: moving.from as HTMLButtonElement }}
            close={() => setMoving(null)}
            acts={groups.map((to) => ({
              label: nameOf(by, to),
              isChosen: to.value === groupOf(moving.card)?.value,
              run: () => move(moving.card, to),
            }))}
          />
        )}
      </Suspense>
    </main>
  );
}

/** The groups of open tickets, and those without any that a card may be moved into. */
function useGroups(project: string, by: TicketGrouping, q: string | undefined) {
  const { data, isPending, error, refetch } = useQuery({
    ...groupsQuery(project, by, { status: "open", ...(q !== undefined && { q }) }),
    placeholderData: keepPreviousData,
  });
  const known = useQuery({ ...milestonesQuery(project), enabled: by === "milestone" });
  const milestones = known.data?.milestones ?? [];
  const found = data?.groups ?? [];
  const offered = {
    priority: (["high", "medium", "low"] as const).map((value) => emptyGroup(value, PRIORITIES[value])),
    milestone: milestones.filter(({ state }) => state === "open").map(({ id, name }) => emptyGroup(id, name)),
  }[by as string] ?? [];
  const none = by === "priority" ? [] : [emptyGroup("none", null)];
  const all = [
    ...(by === "priority" ? offered.map((each) => found.find(({ value }) => value === each.value) ?? each) : [
      ...found.filter(({ value }) => value !== "none"),
      ...offered.filter((each) => !found.some(({ value }) => value === each.value)),
    ]),
    ...none.map((each) => found.find(({ value }) => value === "none") ?? each),
  ];
  return { groups: data ? all : [], leftOut: data?.left_out ?? 0, isPending, error, refetch };
}

function emptyGroup(value: string, name: string | null): Group {
  return { value, name, ref: null, color: null, count: 0 };
}

interface ColumnProps {
  project: string;
  by: TicketGrouping;
  group: Group;
  filters: Filters;
  open: string | undefined;
  /** The person may not move tickets. */
  isFixed: boolean;
  today: string;
}

function GroupColumn({ project, by, group, filters, open, isFixed, today }: ColumnProps) {
  const { value, count } = group;
  const { sort = "rank", ...conditions } = filters;
  const section = useRef<HTMLElement>(null);
  const cards = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(section);
  const { data, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, error, refetch } =
    useInfiniteQuery({
      ...groupQuery(project, { group_by: by, group: value }, { ...conditions, sort, status: "open" }),
      enabled: isSeen,
    });
  const pages = data?.pages ?? [];
  const name = JSON.stringify([project, by, value, filters]);
  const { inView, heightOf } = usePagesInView(cards, pages, { name, height: CARD });
  const isOver = useDropTarget(section, value);
  const isEmpty = data !== undefined && !pages.some(({ tickets }) => tickets.length > 0);
  const heading = `group-${value}`;
  return (
    <section
      ref={section}
      className={`column${isOver ? " over" : ""}`}
      aria-labelledby={heading}
      data-column={value}
    >
      <h2 id={heading}>
        <GroupName by={by} group={group} />
        <span className="count">{count}</span>
      </h2>
      {isEmpty && <p className="empty">{boardWords.emptyColumn}</p>}
      {error && !data && !isUnreadable(error) && <NotLoaded again={refetch} />}
      {!isEmpty && (
        <div
          ref={cards}
          className="cards"
          role="list"
          aria-busy={isSeen && isPending}
          aria-labelledby={heading}
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
                  isSelected={false}
                  isOpen={open === ticket.ticket_ref}
                  isFirst={at === 0 && place === 0}
                  isFixed={isFixed}
                  today={today}
                />
              ))}
            </div>
          ))}
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

/** Whether a column has been near the visible part of the board. Its tickets are read then. */
function useSeen(column: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen) return;
    const seen = new IntersectionObserver(([entry]) => entry!.isIntersecting && setSeen(true), {
      rootMargin: "400px",
    });
    seen.observe(column.current!);
    return () => seen.disconnect();
  }, [column, isSeen]);
  return isSeen;
}

function useDropTarget(column: RefObject<HTMLElement | null>, group: string): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() =>
    dropTargetForElements({
      element: column.current!,
      getData: () => ({ group }),
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: () => setOver(false),
    }), [column, group]);
  return isOver;
}
