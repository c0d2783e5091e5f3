import { queryOptions } from "@tanstack/react-query";
import { codeOf, handoff, trpc } from "../api/client.ts";
import type { Inputs, View } from "../api/types.ts";
import { changing } from "./changing.ts";
import { readAll } from "./pages.ts";

/** All views that the person reads, the oldest first. */
export const viewsQuery = queryOptions({
  queryKey: trpc.views.list.queryKey({ limit: 200 }),
  queryFn: async () => {
    const pages = await readAll((at) => handoff.api.views.list.query({ limit: 200, ...at }));
    return { views: pages.flatMap(({ views }) => views), next_cursor: null };
  },
});

export const viewQuery = (viewId: string) => trpc.views.get.queryOptions({ viewId });

/**
 * The number of open tickets of each of a project's views, by the view's id. They are read together,
 * and seldom, because each is a statement. A view whose text can't be read has none.
 */
export function viewCountsQuery(project: string, views: readonly View[]) {
  const asked = views.map(({ id, query }) => ({ id, query }));
  return queryOptions({
    queryKey: [["views", "counts"], { input: { id: project, views: asked } }],
    queryFn: async () =>
      new Map(
        await Promise.all(asked.map(async ({ id, query }) => [id, await countOf(project, query)] as const)),
      ),
  });
}

async function countOf(project: string, q: string): Promise<number> {
  try {
    const { stages } = await handoff.api.tickets.count.query({ id: project, ...(q && { q }) });
    return Object.values(stages).reduce((sum, count) => sum + count, 0);
  } catch (error) {
    if (codeOf(error) === "invalid_request") return 0;
    throw error;
  }
}

const stale = [trpc.views.list.pathKey(), trpc.views.get.pathKey()];

export const createView = (input: Inputs["views"]["create"]) =>
  changing(handoff.api.views.create.mutate(input), ...stale);

export const updateView = (input: Inputs["views"]["update"]) =>
  changing(handoff.api.views.update.mutate(input), ...stale);

export const deleteView = (viewId: string) => changing(handoff.api.views.delete.mutate({ viewId }), ...stale);

/** The views of the sidebar, in the person's order. */
export function pinnedOf(views: readonly View[]): View[] {
  return views.filter(({ place }) => place !== null)
    .toSorted((one, other) => one.place! - other.place! || (one.id < other.id ? -1 : 1));
}

/** The service's greatest place. */
const LAST_PLACE = 10_000;

/** The place behind all views of the sidebar. */
export function lastPlace(views: readonly View[]): number {
  return Math.min((pinnedOf(views).at(-1)?.place ?? -1) + 1, LAST_PLACE);
}

/** Moves a view in the sidebar. Only the views whose place changes are written. */
export async function movePinned(views: readonly View[], view: View, by: -1 | 1): Promise<void> {
  const order = pinnedOf(views).map(({ id, place }) => ({ id, place }));
  const at = order.findIndex(({ id }) => id === view.id);
  const [moved] = order.splice(at, 1);
  order.splice(at + by, 0, moved!);
  const calls = order.flatMap(({ id, place }, index) =>
    place === index ? [] : [handoff.api.views.update.mutate({ viewId: id, place: index })]
  );
  await changing(Promise.all(calls), ...stale);
}
