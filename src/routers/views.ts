import { createView } from "../views/create.ts";
import { deleteView } from "../views/delete.ts";
import { getView } from "../views/get.ts";
import { listViews } from "../views/list.ts";
import { listMyWork } from "../views/list_my_work.ts";
import {
  CreateView,
  ListMyWork,
  ListViews,
  MyWork,
  UpdateView,
  View,
  ViewList,
  ViewPath,
} from "../views/schema.ts";
import { updateView } from "../views/update.ts";
import { Nothing, router, userProcedure } from "./trpc.ts";

const tag = "Planning";
const read = { access: "user", scope: "tickets:read", tag } as const;
const write = { access: "user", scope: "tickets:write", tag } as const;
const view = "/views/{viewId}";

export const viewsRouter = router({
  list: userProcedure({
    ...read,
    method: "GET",
    path: "/views",
    summary: "List the caller's saved views and those that are shared with the caller, oldest first",
  }).input(ListViews).output(ViewList).query(({ ctx, input }) => listViews(ctx, input)),

  get: userProcedure({
    ...read,
    method: "GET",
    path: view,
    summary: "Get a saved view",
    errors: ["not_found"],
  }).input(ViewPath).output(View).query(({ ctx, input }) => getView(ctx, input)),

  create: userProcedure({
    ...write,
    method: "POST",
    path: "/views",
    status: 201,
    location: (made: View) => `/views/${made.id}`,
    summary: "Save a view",
    description:
      "Members of a project share views of it. Others read the tickets of it as their own rights allow.",
    errors: ["forbidden", "not_found", "conflict"],
    example: { input: { name: "Late designs", query: "label:design is:overdue", layout: "list" } },
  }).input(CreateView).output(View).mutation(({ ctx, input }) => createView(ctx, input)),

  update: userProcedure({
    ...write,
    method: "PATCH",
    path: view,
    summary: "Change a view, or its place in the caller's sidebar",
    description:
      "Owners change their views, and admins of a project those that are shared in it. Everybody who reads a view may " +
      "change `place`, which is their own.",
    errors: ["forbidden", "not_found", "conflict"],
    example: { input: { name: "Late designs", shared: true } },
  }).input(UpdateView).output(View).mutation(({ ctx, input }) => updateView(ctx, input)),

  delete: userProcedure({
    ...write,
    method: "DELETE",
    path: view,
    status: 204,
    summary: "Delete a view, also out of everybody's sidebar",
    errors: ["forbidden", "not_found"],
  }).input(ViewPath).output(Nothing).mutation(({ ctx, input }) => deleteView(ctx, input)),

  myWork: userProcedure({
    ...read,
    method: "GET",
    path: "/my-work",
    summary: "List the caller's open tickets of all projects",
    description:
      "A ticket is the caller's if it is assigned to them, or if an unfinished task of it is. Tickets for which " +
      "others wait come first, then by due date and age.",
  }).input(ListMyWork).output(MyWork).query(({ ctx, input }) => listMyWork(ctx, input)),
});
