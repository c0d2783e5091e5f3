import { z } from "zod";
import { invalidField } from "../core/errors.ts";
import { BulkTickets } from "../tickets/bulk_schema.ts";
import { ResolutionType, Stage } from "../tickets/schema.ts";
import { Ref } from "./_fields.ts";
import { defineTool } from "./tool.ts";

export const moveTickets = defineTool({
  name: "move_tickets",
  title: "Move or close many tickets",
  description: "Decides each ticket independently and names the refused ones. dry_run changes nothing.",
  calls: ["tickets.bulk", "tickets.get"],
  input: z.strictObject({
    tickets: z.array(Ref).min(1).max(50).describe("Refs of tickets of one project"),
    action: z.enum(["move", "close"]),
    stage: Stage.optional().describe("Required for a move"),
    resolution_type: ResolutionType.optional(),
    resolution_note: BulkTickets.shape.resolution_note,
    skip_pending_roles: z.boolean().default(false),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    updated: z.int(),
    refused: z.array(z.object({ ticket: z.string(), code: z.string(), error: z.string() })),
  }),
  async run({ call, locate }, { tickets: refs, ...change }) {
    const { id } = await locate(refs[0]!);
    const found = await Promise.all(refs.map(async (ref) => {
      const address = await locate(ref);
      if (address.id !== id) throw invalidField("tickets", "All tickets must be of one project");
      return { ref, id: (await call("tickets.get", address)).id };
    }));
    const { updated, errors } = await call("tickets.bulk", {
      id,
      ticket_ids: found.map((ticket) => ticket.id),
      ...change,
    });
    const refOf = new Map(found.map((ticket) => [ticket.id, ticket.ref]));
    return {
      updated,
      refused: errors.map(({ id, code, error }) => ({ ticket: refOf.get(id) ?? id, code, error })),
    };
  },
});
