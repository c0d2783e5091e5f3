import type { Db } from "../../db/open.ts";
import { requireScope } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { inOrder } from "../core/in_order.ts";
import { jsonb } from "../core/json.ts";
import { lockKin } from "../tickets/lock.ts";
import type { Suggestion } from "./schema.ts";

/** The columns of a Suggestion for `suggestions s`. */
export function suggestionColumns(db: Db) {
  return db`s.id, s.kind, s.status, s.title, s.rationale, s.confidence, s.ticket_id, s.evidence, s.created_at, s.decided_at,
    s.decided_by`;
}

/** A suggestion with the columns that only its verbs need. */
export interface StoredSuggestion extends Suggestion {
  other_ticket_id: string | null;
  /** Without the tasks of a split, which may have some ten megabytes. */
  before_accept: Record<string, unknown> | null;
  fingerprint: string;
}

/** @throws {AppError} not_found */
async function readSuggestion(ctx: ProjectContext, suggestionId: string): Promise<StoredSuggestion> {
  const [row] = await ctx.db<StoredSuggestion[]>`
    select ${
    suggestionColumns(ctx.db)
  }, s.other_ticket_id, s.before_accept - 'tasks' as before_accept, s.fingerprint from suggestions s
    where s.project_id = ${ctx.project.id}::uuid and s.id = ${suggestionId}::uuid`;
  if (!row) throw new AppError("not_found", "No such suggestion in this project");
  return row;
}

/**
 * Locks the tickets of a suggestion, also those that it split off, and then reads it. If several
 * calls decide it at once, each sees the decision of the one before it.
 * @throws {AppError} not_found
 */
export async function lockSuggestion(ctx: ProjectContext, suggestionId: string): Promise<StoredSuggestion> {
  const [, suggestion] = await inOrder(
    lockTicketsOf(ctx, suggestionId),
    readSuggestion(ctx, suggestionId),
  );
  return suggestion;
}

async function lockTicketsOf({ db, project }: ProjectContext, suggestionId: string): Promise<void> {
  const its = db`(
    select unnest(array[s.ticket_id, s.other_ticket_id]
      || array(select jsonb_array_elements_text(s.before_accept -> 'part_ids')::uuid)) from suggestions s
    where s.project_id = ${project.id}::uuid and s.id = ${suggestionId}::uuid)`;
  // Most decisions close or reopen one of them.
  await lockKin(db, its, "live");
}

/** The columns that a decision writes with the status. */
interface Decision {
  status: Suggestion["status"];
  before_accept?: Record<string, unknown>;
}

/**
 * Takes a suggestion from the status in which it was read to the decided one. An analysis may have
 * expired it in between. The transaction must change the ticket before it calls this function,
 * because every transaction takes the ticket first and the suggestion second.
 * @throws {AppError} invalid_transition
 */
export async function decideSuggestion(
  ctx: ProjectContext,
  read: StoredSuggestion,
  { status, before_accept }: Decision,
): Promise<Suggestion> {
  const { db, actor } = ctx;
  const undecided = status === "pending";
  const state = jsonb(db, before_accept ?? null);
  // The split has put its tasks there already.
  const stored = before_accept && read.kind === "split" ? db`s.before_accept || ${state}::jsonb` : state;
  const [row] = await db<Suggestion[]>`
    update suggestions s set status = ${status}, decided_at = ${undecided ? null : db`now()`},
      decided_by = ${undecided ? null : actor.user.id}::uuid,
      before_accept = ${stored}
    where s.id = ${read.id}::uuid and s.status = ${read.status}
    returning ${suggestionColumns(db)}`;
  if (!row) throw new AppError("invalid_transition", "The suggestion has expired");
  return row;
}

export function wrongStatus(attempt: string, suggestion: StoredSuggestion): AppError {
  return new AppError("invalid_transition", `Cannot ${attempt} the suggestion: it is ${suggestion.status}`);
}

/** An API key needs the rights for the changes that accepting or undoing makes. */
export function requireScopesOf({ actor }: ProjectContext, kind: Suggestion["kind"]): void {
  requireScope(actor, "tickets:write");
  if (kind === "split") requireScope(actor, "tasks:write");
}
