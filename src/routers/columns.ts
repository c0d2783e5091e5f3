import { createColumn } from "../columns/create.ts";
import { deleteColumn } from "../columns/delete.ts";
import { listColumns } from "../columns/list.ts";
import { reorderColumns } from "../columns/reorder.ts";
import {
  BoardColumn,
  ColumnList,
  ColumnPath,
  CreateColumn,
  ListColumns,
  MAX_COLUMNS,
  ReorderColumns,
  UpdateColumn,
} from "../columns/schema.ts";
import { updateColumn } from "../columns/update.ts";
import { Nothing, projectProcedure, router } from "./trpc.ts";

const tag = "Planning";
const admin = { access: "project_admin", scope: "admin", tag } as const;
const columns = "/projects/{id}/columns";
const column = `${columns}/{columnId}` as const;

export const columnsRouter = router({
  list: projectProcedure({
    access: "viewer",
    scope: "tickets:read",
    tag,
    method: "GET",
    path: columns,
    summary: "List the columns of a project's stages in the order of the board",
    description: "A stage that is not listed is a column of its own.",
  }).input(ListColumns).output(ColumnList).query(({ ctx, input }) => listColumns(ctx, input)),

  create: projectProcedure({
    ...admin,
    method: "POST",
    path: columns,
    status: 201,
    location: (_made: BoardColumn, input: CreateColumn) => `/projects/${input.id}/columns`,
    summary: "Add a column at the end of a stage",
    description: "The first column of a stage takes over its tickets. " +
      `A project has at most ${MAX_COLUMNS} columns.`,
    errors: ["conflict"],
    example: { input: { stage: "in_progress", name: "In review", wip_limit: 5 } },
  }).input(CreateColumn).output(BoardColumn).mutation(({ ctx, input }) => createColumn(ctx, input)),

  update: projectProcedure({
    ...admin,
    method: "PATCH",
    path: column,
    summary: "Rename a column, or change its limit",
    errors: ["not_found", "conflict"],
    example: { input: { wip_limit: 8 } },
  }).input(UpdateColumn).output(BoardColumn).mutation(({ ctx, input }) => updateColumn(ctx, input)),

  reorder: projectProcedure({
    ...admin,
    method: "POST",
    path: `${columns}/reorder`,
    summary: "Put the columns of a stage into an order",
    example: { input: { stage: "in_progress", column_ids: ["01a22059-3ae2-778f-8a5b-5d2f7c1e9b10"] } },
  }).input(ReorderColumns).output(ColumnList).mutation(({ ctx, input }) => reorderColumns(ctx, input)),

  delete: projectProcedure({
    ...admin,
    method: "DELETE",
    path: column,
    status: 204,
    summary: "Delete a column, whose tickets move to the first one left in the stage",
    errors: ["not_found"],
  }).input(ColumnPath).output(Nothing).mutation(({ ctx, input }) => deleteColumn(ctx, input)),
});
