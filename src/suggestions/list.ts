import type { ProjectContext } from "../core/context.ts";
import { ofProject } from "../core/planner.ts";
import { suggestionColumns } from "./_rows.ts";
import type { ListSuggestions, Suggestion } from "./schema.ts";

/** What is pending comes surest first; anything else newest first. Roles that were switched off are not suggested. */
export async function listSuggestions(ctx: ProjectContext, input: ListSuggestions) {
  const { db, project } = ctx;
  const { status, kind, ticket_id, limit } = input;
  const suggestions = await db<Suggestion[]>`
    select ${suggestionColumns(db)} from suggestions s
    where ${ofProject(db, "s.project_id", project.id)}
      ${ofStatus(ctx, status)}
      ${kind ? db`and s.kind = ${kind}` : db``}
      ${ticket_id ? db`and s.ticket_id = ${ticket_id}::uuid` : db``}
      and not (s.kind = 'role' and s.status = 'pending' and s.evidence ->> 'role' = any (${project.disabled_roles}::text[]))
    order by s.project_id desc, ${status === "pending" ? db`s.confidence desc,` : db``} s.id desc
    limit ${limit}`;
  return { suggestions, count: suggestions.length };
}

function ofStatus({ db }: ProjectContext, status: ListSuggestions["status"]) {
  if (status === "all") return db``;
  // Written out, so that the index of what is pending serves a prepared statement too.
  return status === "pending" ? db`and s.status = 'pending'` : db`and s.status = ${status}`;
}
