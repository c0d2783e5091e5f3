import { z } from "zod";
import { AppError } from "../core/errors.ts";
import { BulkTickets } from "../tickets/bulk_schema.ts";
import { ResolutionType, Stage } from "../tickets/schema.ts";
import { Ref } from "./_fields.ts";
import { type Caller, defineTool, type TicketAddress } from "./tool.ts";

export const moveTickets = defineTool({
  name: "move_tickets",
  title: "Move or close many tickets",
  description: "Decides each ticket independently and names the refused ones. dry_run changes nothing.",
  calls: ["tickets.bulk"],
  idempotent: true,
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
  async run(caller, { tickets: refs, ...change }) {
    const { id } = await firstFound(caller, refs);
    const { updated, errors, results } = await caller.call("tickets.bulk", {
      id,
      ticket_ids: refs.map((ref) => ref.toUpperCase()),
      ...change,
    });
    const refOf = new Map(results.map(({ id, ticket_ref }) => [id, ticket_ref ?? id]));
    return {
      updated,
      refused: errors.map(({ id, code, error }) => ({ ticket: refOf.get(id) ?? id, code, error })),
    };
  },
});

/** The project of the first ref whose project the caller sees. */
async function firstFound({ locate }: Pick<Caller<never>, "locate">, refs: string[]): Promise<TicketAddress> {
  let failure: unknown;
  for (const ref of refs) {
    try {
      return await locate(ref);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      failure ??= error;
    }
  }
  throw failure;
}
