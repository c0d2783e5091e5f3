import type { AppError } from "../core/errors.ts";
import type { BulkResult } from "./bulk_schema.ts";
import type { Stage, Status, UnfinishedTask } from "./schema.ts";

/** The decision of a bulk call about a ticket that is there. */
export interface Decided {
  id: string;
  ticket_ref: string;
  stage: Stage;
  status: Status;
  version: number;
  unfinished_tasks?: UnfinishedTask[];
  refusal?: AppError;
}

/** One result for each id, in the order of the request. An id without a decision names no ticket of the project. */
export function bulkResult(
  ids: readonly string[],
  decided: readonly Decided[],
  overLimit: readonly string[],
): BulkResult {
  const byId = new Map(decided.map((ticket) => [ticket.id, ticket]));
  const errors: BulkResult["errors"] = [];
  const results = ids.map((id) => {
    const ticket = byId.get(id);
    if (!ticket) errors.push({ id, error: "No such ticket in this project", code: "not_found" });
    else if (ticket.refusal) errors.push({ id, error: ticket.refusal.message, code: ticket.refusal.code });
    const { ticket_ref = null, stage = null, status = null, version = null } = ticket ?? {};
    const unfinished = ticket?.unfinished_tasks && { unfinished_tasks: ticket.unfinished_tasks };
    const ok = ticket !== undefined && !ticket.refusal;
    return { id, ticket_ref, ok, stage, status, version, ...unfinished };
  });
  const limits = overLimit.length > 0 && { over_limit: [...overLimit] };
  return { updated: ids.length - errors.length, errors, results, ...limits };
}
