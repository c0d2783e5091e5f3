import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";

/** The labels of a project. A project has few enough that they come at once. */
export function labelsQuery(project: string) {
  return trpc.labels.list.queryOptions({ id: project });
}

const labels = trpc.labels.list.pathKey();
/** Tickets show the names and colors of their labels. */
const shown = [labels, trpc.tickets.list.pathKey(), trpc.tickets.get.pathKey()];

export const createLabel = (input: Inputs["labels"]["create"]) =>
  changing(handoff.api.labels.create.mutate(input), labels);

export const updateLabel = (input: Inputs["labels"]["update"]) =>
  changing(handoff.api.labels.update.mutate(input), ...shown);

export const mergeLabel = (input: Inputs["labels"]["merge"]) =>
  changing(handoff.api.labels.merge.mutate(input), ...shown);

export const deleteLabel = (input: Inputs["labels"]["delete"]) =>
  changing(handoff.api.labels.delete.mutate(input), ...shown);
