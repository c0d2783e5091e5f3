import { trpc } from "../api/client.ts";

/** The labels of a project. A project has few enough that they come at once. */
export function labelsQuery(project: string) {
  return trpc.labels.list.queryOptions({ id: project });
}
