import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type RefObject, useRef } from "react";
import { ticketsQuery } from "../data/tickets.ts";
import { useKeptScroll } from "../app/kept_scroll.ts";
import { useProject } from "../app/project.ts";
import { useTitle } from "../app/title.tsx";
import { useToday } from "../ui/days.ts";
import { ViewMenu } from "../views/view_menu.tsx";
import { app } from "../words/app.ts";
import { list } from "../words/list.ts";
import { isUnreadable, More } from "./column.tsx";
import { NotLoaded } from "./not_loaded.tsx";
import type { Filters } from "./filters.ts";
import { GroupChoice } from "./group_choice.tsx";
import { ColumnChoice, useListColumns } from "./list_columns.tsx";
import { GroupedList } from "./list_groups.tsx";
import { GhostRows, ListHead, ListRows, type RowsProps, widthOf } from "./list_row.tsx";
import { ProjectBar } from "./project_bar.tsx";
import { usePagesInView } from "./use_pages_in_view.ts";
import { useTicketSelection } from "./use_ticket_selection.tsx";

const route = getRouteApi("/signed-in/$key/list");
/** The usual pixels of a row. */
const ROW = 39;

/** All tickets of a project in one order, in groups if wanted, with the board's filters and keys. */
export function List() {
  const project = useProject();
  useTitle(app.list, project.name);
  const { ticket: open, create: _, view, group, ...filters } = route.useSearch();
  const by = group === "none" ? undefined : group;
  const navigate = route.useNavigate();
  const today = useToday(project.time_zone);
  const scroller = useRef<HTMLDivElement>(null);
  const { selected, toggle, click, dialogs } = useTicketSelection(project);
  const [columns, setColumns] = useListColumns();
  const change = (next: Filters & { group?: typeof group }) =>
    void navigate({ search: (old) => ({ ...old, ...next }), replace: true });
  const props = { project: project.id, filters, scroller, columns, selected, open, toggle, today };
  return (
    <main className="screen" id="main" tabIndex={-1}>
      <ProjectBar project={project} filters={filters} withStage change={change}>
        <GroupChoice group={by} change={(group) => change({ group })} />
        <ColumnChoice columns={columns} choose={setColumns} />
        <ViewMenu project={project} layout="list" shown={{ ...filters, view, group }} />
      </ProjectBar>
      <div ref={scroller} className="list" data-column="list" onClickCapture={click}>
        {by ? <GroupedList key={by} by={by} {...props} /> : <FlatList {...props} />}
      </div>
      {dialogs}
    </main>
  );
}

export interface ListProps extends RowsProps {
  project: string;
  filters: Filters;
  scroller: RefObject<HTMLDivElement | null>;
}

function FlatList({ project, filters, scroller, ...rows }: ListProps) {
  const { sort = "-updated_at", ...conditions } = filters;
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, isPending } =
    useInfiniteQuery(
      ticketsQuery(project, { ...conditions, sort }),
    );
  const pages = data?.pages ?? [];
  const name = JSON.stringify([project, "list", filters]);
  const { inView, heightOf } = usePagesInView(scroller, pages, { name, height: ROW });
  useKeptScroll(scroller, name, pages.length > 0);
  const isEmpty = (data !== undefined || isUnreadable(error)) &&
    !pages.some(({ tickets }) => tickets.length > 0);
  return (
    <>
      <table aria-busy={isPending}>
        <caption className="hidden">{list.title}</caption>
        <ListHead columns={rows.columns} />
        {pages.map(({ tickets }, at) => (
          <tbody key={at} data-page>
            {inView(at) ? <ListRows tickets={tickets} {...rows} /> : (
              <tr aria-hidden="true">
                <td colSpan={widthOf(rows.columns)} style={{ height: heightOf(at) }} />
              </tr>
            )}
          </tbody>
        ))}
        {isPending && (
          <tbody>
            <GhostRows columns={rows.columns} rows={4} />
          </tbody>
        )}
      </table>
      {isEmpty && <p className="empty">{list.empty}</p>}
      {error && !data && !isUnreadable(error) && <NotLoaded again={refetch} />}
      {hasNextPage && (
        <More
          pages={pages.length}
          load={() => !isFetchingNextPage && void fetchNextPage()}
        />
      )}
    </>
  );
}
