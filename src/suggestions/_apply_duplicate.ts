import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { noSuchTicket } from "../tickets/lock.ts";
import { markDuplicates } from "../tickets/mark_duplicate.ts";
import { applyClosing } from "./_apply_closing.ts";
import type { StoredSuggestion } from "./_rows.ts";
import type { BeforeClosing } from "./before_closing.ts";
import { digestOf, fingerprintOfPair } from "./fingerprint.ts";
import type { AcceptSuggestion } from "./schema.ts";

/**
 * Closes the ticket as a duplicate and links it to the other ticket. The other one must be open,
 * because otherwise a ring of tickets could be closed for one another.
 */
export async function applyDuplicate(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  { skip_pending_roles: skipPendingRoles }: AcceptSuggestion,
): Promise<BeforeClosing> {
  const { ticket_id, other_ticket_id } = suggestion;
  const otherRef = await lockOpenOther(ctx, suggestion);
  const resolution = { type: "duplicate", note: `Duplicate of ${otherRef}` } as const;
  const before = await applyClosing(ctx, suggestion, { resolution, skipPendingRoles });
  await markDuplicates(ctx, [ticket_id], other_ticket_id!);
  return before;
}

interface LockedText {
  id: string;
  ticket_ref: string;
  status: string;
  text: string;
}

/** Locks both tickets in id order, as every change of several tickets does. */
async function lockOpenOther(
  { db, project }: ProjectContext,
  { ticket_id, other_ticket_id, fingerprint }: StoredSuggestion,
): Promise<string> {
  const locked = await db<LockedText[]>`
    select id, ${project.key} || '-' || number as ticket_ref, status, title || E'\n' || description as text from tickets
    where id = any (${[ticket_id, other_ticket_id]}::uuid[]) and project_id = ${project.id}::uuid
    order by id for update`;
  const other = locked.find(({ id }) => id === other_ticket_id);
  if (!other) throw noSuchTicket();
  const refused = `Cannot close a ticket as a duplicate of ${other.ticket_ref}:`;
  if (other.status === "closed") throw new AppError("conflict", `${refused} the other ticket is closed`);
  if (fingerprintOfPair(...locked.map(({ id, text }) => ({ id, digest: digestOf(text) }))) !== fingerprint) {
    throw new AppError(
      "conflict",
      `${refused} a text of the two tickets has changed since this was suggested`,
    );
  }
  return other.ticket_ref;
}
