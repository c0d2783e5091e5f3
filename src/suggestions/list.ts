import type { ProjectContext } from "../core/context.ts";
import { withinBytes } from "../core/long_texts.ts";
import { ofProject } from "../core/planner.ts";
import { suggestionColumns } from "./_rows.ts";
import type { ListSuggestions, Suggestion } from "./schema.ts";

/**
 * Returns a page of suggestions: pending ones with the surest first, others with the newest first.
 * Disabled roles are not suggested. Suggestions with much evidence can make a page shorter than
 * `limit`.
 */
export async function listSuggestions(ctx: ProjectContext, input: ListSuggestions) {
  const { db, project } = ctx;
  const { status, kind, ticket_id, limit } = input;
  const surest = status === "pending" ? db`confidence desc,` : db``;
  const rows = db`
    select s.* from suggestions s
    where ${ofProject(db, "s.project_id", project.id)}
      ${ofStatus(ctx, status)}
      ${kind ? db`and s.kind = ${kind}` : db``}
      ${ticket_id ? db`and s.ticket_id = ${ticket_id}::uuid` : db``}
      and not (s.kind = 'role' and s.status = 'pending' and s.evidence ->> 'role' = any (${project.disabled_roles}::text[]))
    order by s.project_id desc, ${surest} s.id desc fetch first ${limit} rows only`;
  const order = db`project_id desc, ${surest} id desc`;
  const suggestions = await db<Suggestion[]>`
    select ${suggestionColumns(db)}
    from ${withinBytes(ctx, { rows, order, size: db`unpacked_bytes(r.evidence)` })} s
    order by ${order} limit ${limit}`;
  return { suggestions, count: suggestions.length };
}

function ofStatus({ db }: ProjectContext, status: ListSuggestions["status"]) {
  if (status === "all") return db``;
  // The status is a literal, so that the index of pending suggestions serves a prepared statement
  // too.
  return status === "pending" ? db`and s.status = 'pending'` : db`and s.status = ${status}`;
}
