import { z } from "zod";
import { Role } from "../core/schema.ts";
import { isFinished } from "../tasks/transitions.ts";
import { Ref } from "./_fields.ts";
import { nextStep } from "./_next.ts";
import { rolesOf } from "./_rows.ts";
import { defineTool } from "./tool.ts";

const PROCEDURES = {
  in_progress: "tickets.startRole",
  done: "tickets.finishRole",
  skipped: "tickets.skipRole",
  pending: "tickets.reopenRole",
} as const;

export const setRole = defineTool({
  name: "set_role",
  title: "Start, finish, skip or reopen a role",
  description:
    "Sets the status of one role of a ticket. A ticket closes only when each role is done or skipped.",
  calls: Object.values(PROCEDURES),
  input: z.strictObject({
    ticket: Ref,
    role: Role,
    status: z.enum(["in_progress", "done", "skipped", "pending"]),
  }),
  output: z.object({
    ref: z.string(),
    version: z.int(),
    roles: z.array(z.string()),
    next: z.string().optional(),
  }),
  async run({ call, locate }, { ticket: ref, role, status }) {
    const ticket = await call(PROCEDURES[status], { ...await locate(ref), role });
    return {
      ref: ticket.ticket_ref,
      version: ticket.version,
      roles: rolesOf(ticket),
      ...(isFinished({ status }) && { next: nextStep(ticket) }),
    };
  },
});
