import { z } from "zod";
import { Id, NextCursor, Page, text, Timestamp } from "../core/schema.ts";

export const ListAudit = Page.extend({
  action: text(1, 100).optional().describe(
    "Exactly this one, such as session.started or ticket.human_test_gate_skipped",
  ),
  account_id: Id.optional().describe("Another account than the caller's; for super admins"),
});
export type ListAudit = z.infer<typeof ListAudit>;

export const AuditEntry = z.object({
  id: z.int(),
  at: Timestamp,
  account_id: Id.nullable(),
  action: z.string(),
  actor: z.record(z.string(), z.unknown()).describe("kind, id, and name and key_id where there are any"),
  target_type: z.string().nullable(),
  target_id: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  request_id: z.string().nullable(),
}).meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = z.object({ audit: z.array(AuditEntry), next_cursor: NextCursor });
