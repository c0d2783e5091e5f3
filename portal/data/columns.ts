import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";

/** The columns of a project's stages, in the order of the board. */
export function columnsQuery(project: string) {
  return trpc.columns.list.queryOptions({ id: project });
}

const columns = trpc.columns.list.pathKey();
/** The tickets of a stage are in its first column, and those of a deleted one are in another. */
const held = [columns, trpc.tickets.list.pathKey()];

export const createColumn = (input: Inputs["columns"]["create"]) =>
  changing(handoff.api.columns.create.mutate(input), ...held);

export const updateColumn = (input: Inputs["columns"]["update"]) =>
  changing(handoff.api.columns.update.mutate(input), columns);

export const reorderColumns = (input: Inputs["columns"]["reorder"]) =>
  changing(handoff.api.columns.reorder.mutate(input), columns);

export const deleteColumn = (input: Inputs["columns"]["delete"]) =>
  changing(handoff.api.columns.delete.mutate(input), ...held);
