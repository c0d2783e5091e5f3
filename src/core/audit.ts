import type { Context } from "./context.ts";

interface AuditEntry {
  account_id: string | null;
  /** Dotted and stable, such as `session.ended`. */
  action: string;
  target_type?: string;
  target_id?: string;
  /** What was asked for: a creation names all of what later changes may name, so that each one's before is in the list. */
  details?: Record<string, unknown>;
}

/** Writes down what admins should know of. Joins the caller's transaction. */
export async function recordAudit(ctx: Context, entry: AuditEntry): Promise<void> {
  await ctx.db`
    insert into audit_log (account_id, action, actor, target_type, target_id, details, request_id)
    values (${entry.account_id}, ${entry.action}, ${JSON.stringify(ctx.author)}::text::jsonb, ${
    entry.target_type ?? null
  },
      ${entry.target_id ?? null}, ${JSON.stringify(entry.details ?? {})}::text::jsonb, ${ctx.requestId})`;
}
