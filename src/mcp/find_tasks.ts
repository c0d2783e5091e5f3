import { z } from "zod";
import { Role } from "../core/schema.ts";
import { TaskStatus } from "../tasks/schema.ts";
import { pageWithin } from "./_budget.ts";
import { cursor, limit, NextCursor, ProjectKey, Ref } from "./_fields.ts";
import { TaskRow, taskRow, WithoutTasksRow, withoutTasksRow } from "./_rows.ts";
import { defineTool } from "./tool.ts";

export const findTasks = defineTool({
  name: "find_tasks",
  title: "Find tasks",
  description:
    "Lists tasks of a ticket or project, oldest first. ready: only what you may claim now, also tickets without tasks.",
  calls: ["tasks.listOfProject"],
  others: ["tasks.title", "without_tasks.title"],
  input: z.strictObject({
    ticket: Ref.optional(),
    project: ProjectKey,
    ready: z.boolean().optional(),
    mine: z.boolean().optional().describe("Assigned to your user"),
    role: Role.optional(),
    status: z.enum([...TaskStatus.options, "unfinished"]).optional(),
    limit,
    cursor,
  }),
  output: z.object({
    tasks: z.array(TaskRow),
    without_tasks: z.array(WithoutTasksRow).optional(),
    next_cursor: NextCursor,
  }),
  async run({ call, locate, project, userId }, { ticket, project: key, mine, limit, ...filters }) {
    const { id, ticketId: ticket_id } = ticket
      ? await locate(ticket)
      : { ...await project(key), ticketId: undefined };
    const whose = mine ? { assignee_user_id: userId } : {};
    return await pageWithin(limit, async (limit) => {
      const { tasks, tickets = [], next_cursor } = await call("tasks.listOfProject", {
        id,
        ticket_id,
        limit,
        ...filters,
        ...whose,
      });
      return {
        tasks: tasks.map((task) => taskRow(task, userId)),
        ...(tickets.length > 0 && { without_tasks: tickets.map(withoutTasksRow) }),
        next_cursor,
      };
    });
  },
});
