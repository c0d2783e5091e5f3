import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";

/** The labels of a project. A project has few enough that they come at once. */
export function labelsQuery(project: string) {
  return trpc.labels.list.queryOptions({ id: project });
}

const labels = trpc.labels.list.pathKey();

export const createLabel = (input: Inputs["labels"]["create"]) =>
  changing(handoff.api.labels.create.mutate(input), labels);
