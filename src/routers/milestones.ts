import { IdPath } from "../core/schema.ts";
import { createMilestone } from "../milestones/create.ts";
import { deleteMilestone } from "../milestones/delete.ts";
import { getMilestone } from "../milestones/get.ts";
import { listMilestones } from "../milestones/list.ts";
import {
  CreateMilestone,
  Milestone,
  MilestoneList,
  MilestonePath,
  UpdateMilestone,
} from "../milestones/schema.ts";
import { updateMilestone } from "../milestones/update.ts";
import { Nothing, projectProcedure, router } from "./trpc.ts";

const tag = "Planning";
const read = { access: "viewer", scope: "tickets:read", tag } as const;
const write = { access: "member", scope: "tickets:write", tag } as const;
const milestones = "/projects/{id}/milestones";
const milestone = `${milestones}/{milestoneId}` as const;

export const milestonesRouter = router({
  list: projectProcedure({
    ...read,
    method: "GET",
    path: milestones,
    summary: "List a project's milestones, open ones first and by due date",
  }).input(IdPath).output(MilestoneList).query(({ ctx }) => listMilestones(ctx)),

  get: projectProcedure({
    ...read,
    method: "GET",
    path: milestone,
    summary: "Get a milestone",
    errors: ["not_found"],
  }).input(MilestonePath).output(Milestone).query(({ ctx, input }) => getMilestone(ctx, input)),

  create: projectProcedure({
    ...write,
    method: "POST",
    path: milestones,
    status: 201,
    location: (made: Milestone, input: CreateMilestone) => `/projects/${input.id}/milestones/${made.id}`,
    summary: "Add a milestone to a project",
    errors: ["conflict"],
    example: { input: { name: "1.0", due_on: "2026-12-31" } },
  }).input(CreateMilestone).output(Milestone).mutation(({ ctx, input }) => createMilestone(ctx, input)),

  update: projectProcedure({
    ...write,
    method: "PATCH",
    path: milestone,
    summary: "Change a milestone, close it or open it again",
    errors: ["not_found", "conflict"],
    example: { input: { state: "closed" } },
  }).input(UpdateMilestone).output(Milestone).mutation(({ ctx, input }) => updateMilestone(ctx, input)),

  delete: projectProcedure({
    access: "project_admin",
    scope: "admin",
    tag,
    method: "DELETE",
    path: milestone,
    status: 204,
    summary: "Delete a milestone, which leaves its tickets",
    errors: ["not_found"],
  }).input(MilestonePath).output(Nothing).mutation(({ ctx, input }) => deleteMilestone(ctx, input)),
});
