import { z } from "zod";
import { ProjectRole } from "../core/schema.ts";
import { pageWithin } from "./_budget.ts";
import { HeldRow, heldRow } from "./_rows.ts";
import { type Caller, defineTool } from "./tool.ts";

/** Projects that are shown, and those whose held tasks are looked up. */
const MAX_PROJECTS = 50;
const MAX_LOOKED_UP = 10;
const MAX_HELD = 20;

type Looking = Caller<"projects.list" | "tasks.listOfProject">;

export const getContext = defineTool({
  name: "get_context",
  title: "See who you are and what waits for you",
  description: "Start here. Shows your projects and the tasks that you hold.",
  calls: ["projects.list"],
  optional: ["tasks.listOfProject"],
  input: z.strictObject({}),
  output: z.object({
    projects: z.array(z.object({ key: z.string(), name: z.string(), role: ProjectRole })),
    held_tasks: z.array(HeldRow).describe("Assigned to the user of this key and not finished"),
  }),
  async run(caller) {
    const { projects } = await pageWithin(MAX_PROJECTS, (limit) => caller.call("projects.list", { limit }));
    return {
      projects: projects.map(({ key, name, my_role: role }) => ({ key, name, role })),
      held_tasks: await heldTasks(caller, projects.slice(0, MAX_LOOKED_UP).map(({ id }) => id)),
    };
  },
});

async function heldTasks({ call, may, userId }: Looking, projectIds: readonly string[]) {
  if (!may("tasks.listOfProject")) return [];
  const pages = await Promise.all(
    projectIds.map((id) =>
      call("tasks.listOfProject", { id, assignee_user_id: userId, status: "unfinished", limit: MAX_HELD })
    ),
  );
  return pages.flatMap(({ tasks }) => tasks).slice(0, MAX_HELD).map(heldRow);
}
