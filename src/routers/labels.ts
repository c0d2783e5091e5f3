import { createLabel } from "../labels/create.ts";
import { deleteLabel } from "../labels/delete.ts";
import { listLabels } from "../labels/list.ts";
import { mergeLabel } from "../labels/merge.ts";
import {
  CreateLabel,
  Label,
  LabelList,
  LabelPath,
  ListLabels,
  MergeLabel,
  UpdateLabel,
} from "../labels/schema.ts";
import { updateLabel } from "../labels/update.ts";
import { Nothing, projectProcedure, router } from "./trpc.ts";

const tag = "Planning";
const admin = { access: "project_admin", scope: "admin", tag } as const;
const labels = "/projects/{id}/labels";
const label = `${labels}/{labelId}` as const;

export const labelsRouter = router({
  list: projectProcedure({
    access: "viewer",
    scope: "tickets:read",
    tag,
    method: "GET",
    path: labels,
    summary: "List a project's labels by name",
  }).input(ListLabels).output(LabelList).query(({ ctx, input }) => listLabels(ctx, input)),

  create: projectProcedure({
    access: "member",
    scope: "tickets:write",
    tag,
    method: "POST",
    path: labels,
    status: 201,
    location: (_made: Label, input: CreateLabel) => `/projects/${input.id}/labels`,
    summary: "Add a label to a project",
    errors: ["conflict"],
    example: { input: { name: "needs design", color: "#a03fb0" } },
  }).input(CreateLabel).output(Label).mutation(({ ctx, input }) => createLabel(ctx, input)),

  update: projectProcedure({
    ...admin,
    method: "PATCH",
    path: label,
    summary: "Rename a label, or change its color or description",
    errors: ["not_found", "conflict"],
    example: { input: { name: "design" } },
  }).input(UpdateLabel).output(Label).mutation(({ ctx, input }) => updateLabel(ctx, input)),

  merge: projectProcedure({
    ...admin,
    method: "POST",
    path: `${label}/merge`,
    summary: "Merge a label into another one",
    description: "The tickets of the label show the other one at once, and the label is deleted.",
    errors: ["not_found"],
    example: { input: { into: "01a22059-3ae2-778f-8a5b-5d2f7c1e9b10" } },
  }).input(MergeLabel).output(Label).mutation(({ ctx, input }) => mergeLabel(ctx, input)),

  delete: projectProcedure({
    ...admin,
    method: "DELETE",
    path: label,
    status: 204,
    summary: "Delete a label, which leaves its tickets",
    errors: ["not_found"],
  }).input(LabelPath).output(Nothing).mutation(({ ctx, input }) => deleteLabel(ctx, input)),
});
