import type { Inputs, Project, View } from "../api/types.ts";
import type { Filters } from "../board/filters.ts";
import { board } from "../words/board.ts";
import { GROUPINGS } from "../words/views.ts";

export type Grouping = View["group_by"];

/** The order and grouping of a layout, unless the address says something else. */
const USUAL = {
  board: { sort: "rank", group_by: "stage" },
  list: { sort: "-updated_at", group_by: "none" },
} as const satisfies Record<View["layout"], { sort: View["sort"]; group_by: Grouping }>;

/** The part of an address that says what of a project or of all projects is shown. */
export interface Shown extends Filters {
  group?: Grouping | undefined;
  /** The id of the saved view. */
  view?: string | undefined;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Unknown fields of an address are left out, so that an old link still opens. */
export function readShown({ view, group }: Record<string, unknown>): Pick<Shown, "view" | "group"> {
  return {
    ...(isViewId(view) && { view }),
    ...(typeof group === "string" && Object.hasOwn(GROUPINGS, group) && { group: group as Grouping }),
  };
}

export function isViewId(id: unknown): id is string {
  return typeof id === "string" && ID.test(id);
}

/** The search of the address at which a view is shown as it was saved. */
function searchOf({ id, project_id, layout, query, sort, group_by }: View): Shown {
  const usual = USUAL[layout];
  return {
    view: id,
    ...(query !== "" && { q: query }),
    ...(project_id !== null && {
      ...(sort !== usual.sort && Object.hasOwn(board.sorts, sort) && { sort: sort as Filters["sort"] }),
      ...(!isUsual(layout, group_by) && { group: group_by }),
    }),
  };
}

/** Whether a layout has the grouping anyway. A board has the columns of its stages. */
function isUsual(layout: View["layout"], group: Grouping): boolean {
  return group === "none" || layout === "board" && (group === "stage" || group === "column");
}

/** Where a view is shown as it was saved. A view of all projects is a search. */
export function addressOf(view: View, project: Pick<Project, "key"> | null | undefined) {
  const search = searchOf(view);
  if (!project) return { to: "/search" as const, search };
  return { to: `/$key/${view.layout}` as const, params: { key: project.key }, search };
}

/** The fields of a view that would show what is shown now. */
export function fieldsOf(layout: View["layout"], { q = "", sort, group }: Shown) {
  const usual = USUAL[layout];
  return {
    query: q,
    layout,
    sort: sort ?? usual.sort,
    group_by: group ?? usual.group_by,
  } satisfies Partial<Inputs["views"]["create"]>;
}

/** Whether something else is shown than what was saved. */
export function isChanged(view: View, layout: View["layout"], shown: Shown): boolean {
  const saved = searchOf(view);
  return view.project_id !== null && view.layout !== layout || saved.q !== (shown.q || undefined) ||
    saved.sort !== shown.sort ||
    saved.group !== (shown.group && !isUsual(layout, shown.group) ? shown.group : undefined);
}
