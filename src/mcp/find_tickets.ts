import { z } from "zod";
import { Role } from "../core/schema.ts";
import { Priority, RequestType, SearchText, Stage, Status, Unrecognized } from "../tickets/schema.ts";
import { pageWithin } from "./_budget.ts";
import { cursor, limit, NextCursor, ProjectKey } from "./_fields.ts";
import { TicketRow, ticketRow } from "./_rows.ts";
import { defineTool } from "./tool.ts";

export const findTickets = defineTool({
  name: "find_tickets",
  title: "Find tickets",
  description: "Lists tickets in one line each, newest first. q searches title, description and ref. " +
    "get_ticket has the rest.",
  calls: ["tickets.list"],
  others: ["tickets.title", "tickets.assignee", "tickets.labels", "unrecognized.nearest"],
  input: z.strictObject({
    project: ProjectKey,
    q: SearchText.optional().meta({
      description:
        'Words that all occur; "a phrase"; -word excludes; a OR b; a ref such as HO-12. And filters: ' +
        'label:ui,"needs design" assignee:me|none|NAME due:overdue|<7d is:blocked|mine|watched milestone: parent:HO-12 ' +
        "column: children-of: link: author: waiting:person -stage:live updated:>2026-01-31 estimate:>3",
    }),
    stage: Stage.optional(),
    status: Status.optional(),
    role: Role.optional(),
    type: RequestType.optional(),
    priority: Priority.optional(),
    blocking: z.boolean().optional(),
    limit,
    cursor,
  }),
  output: z.object({
    tickets: z.array(TicketRow),
    next_cursor: NextCursor,
    unrecognized: z.array(Unrecognized).optional().describe("Filters' values that nothing has"),
  }),
  async run({ call, project }, { project: key, type, limit, ...filters }) {
    const { id } = await project(key);
    return await pageWithin(limit, async (limit) => {
      const { tickets, ...rest } = await call("tickets.list", {
        id,
        request_type: type,
        limit,
        ...filters,
      });
      return { tickets: tickets.map(ticketRow), ...rest };
    });
  },
});
