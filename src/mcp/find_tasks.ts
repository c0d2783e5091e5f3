import { z } from "zod";
import { Role } from "../core/schema.ts";
import { TaskStatus } from "../tasks/schema.ts";
import { pageWithin } from "./_budget.ts";
import { cursor, limit, NextCursor, ProjectKey } from "./_fields.ts";
import { TaskRow, taskRow } from "./_rows.ts";
import { defineTool } from "./tool.ts";

export const findTasks = defineTool({
  name: "find_tasks",
  title: "Find tasks",
  description:
    "Lists tasks of all tickets of a project, oldest first. ready keeps only tasks that you may claim now.",
  calls: ["tasks.listOfProject"],
  others: ["tasks.title"],
  input: z.strictObject({
    project: ProjectKey,
    ready: z.boolean().optional(),
    mine: z.boolean().optional().describe("Only tasks that are assigned to the user of this key"),
    role: Role.optional(),
    status: z.enum([...TaskStatus.options, "unfinished"]).optional(),
    limit,
    cursor,
  }),
  output: z.object({ tasks: z.array(TaskRow), next_cursor: NextCursor }),
  async run({ call, project, userId }, { project: key, mine, limit, ...filters }) {
    const { id } = await project(key);
    const whose = mine ? { assignee_user_id: userId } : {};
    return await pageWithin(limit, async (limit) => {
      const { tasks, next_cursor } = await call("tasks.listOfProject", { id, limit, ...filters, ...whose });
      return { tasks: tasks.map((task) => taskRow(task, userId)), next_cursor };
    });
  },
});
