import type { Context, ProjectContext } from "./context.ts";
import { jsonb } from "./json.ts";

interface AuditEntry {
  account_id: string | null;
  /** Dotted and stable, such as `session.ended`. */
  action: string;
  target_type?: string;
  target_id?: string;
  /**
   * The input of the call. A creation names every field that a later change may name, so that the
   * list holds the value before each change.
   */
  details?: Record<string, unknown>;
}

/** Records an act that admins should know of, in the caller's transaction. */
export async function recordAudit({ db, author, requestId }: Context, entry: AuditEntry): Promise<void> {
  const { account_id, action, target_type = null, target_id = null, details = {} } = entry;
  await db`
    insert into audit_log (account_id, action, actor, target_type, target_id, details, request_id)
    values (${account_id}, ${action}, ${jsonb(db, author)}, ${target_type}, ${target_id},
      ${jsonb(db, details)}, ${requestId})`;
}

/** Records an act on something of a project. The details name the project. */
export async function recordProjectAudit(
  ctx: ProjectContext,
  { details, ...entry }: Omit<AuditEntry, "account_id">,
): Promise<void> {
  const { account_id, id: project_id } = ctx.project;
  await recordAudit(ctx, { account_id, ...entry, details: { project_id, ...details } });
}
