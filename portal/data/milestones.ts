import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";

/** The milestones of a project, open and closed. A project has few enough that they come at once. */
export function milestonesQuery(project: string) {
  return trpc.milestones.list.queryOptions({ id: project });
}

/** One milestone, with its description. */
export function milestoneQuery(project: string, milestoneId: string) {
  return trpc.milestones.get.queryOptions({ id: project, milestoneId });
}

const milestones = trpc.milestones.pathKey();
/** Tickets show the name of their milestone. */
const shown = [milestones, trpc.tickets.list.pathKey(), trpc.tickets.get.pathKey()];

export const createMilestone = (input: Inputs["milestones"]["create"]) =>
  changing(handoff.api.milestones.create.mutate(input), milestones);

export const updateMilestone = (input: Inputs["milestones"]["update"]) =>
  changing(handoff.api.milestones.update.mutate(input), ...shown);

export const deleteMilestone = (input: Inputs["milestones"]["delete"]) =>
  changing(handoff.api.milestones.delete.mutate(input), ...shown);
