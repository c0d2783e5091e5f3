import { trpc } from "../api/client.ts";

/** The milestones of a project, open and closed. A project has few enough that they come at once. */
export function milestonesQuery(project: string) {
  return trpc.milestones.list.queryOptions({ id: project });
}
