import type { ProjectContext } from "../core/context.ts";
import { noSuchTicket } from "../tickets/lock.ts";
import { commentColumns } from "./_rows.ts";
import type { Comment, CommentSummary, SummarizeComments } from "./schema.ts";

type Counted = Pick<CommentSummary, "opened_by" | "total">;

/** Returns who opened a ticket, the number of its comments, and the latest comments, oldest first. */
export async function summarizeComments(
  ctx: ProjectContext,
  { ticketId, limit }: SummarizeComments,
): Promise<CommentSummary> {
  const { db, project } = ctx;
  const [[counted], latest] = await Promise.all([
    db<Counted[]>`
      select jsonb_build_object('id', t.created_by, 'name', u.name,
          'kind', case when t.created_with = 'key' or u.kind = 'bot' then 'agent' else 'person' end) as opened_by,
        (select count(*)::integer from comments c where c.ticket_id = t.id and c.deleted_at is null) as total
      from tickets t left join users u on u.id = t.created_by
      where t.id = ${ticketId}::uuid and t.project_id = ${project.id}::uuid`,
    db<Comment[]>`
      select ${commentColumns(db)} from comments c
      where c.ticket_id = ${ticketId}::uuid and c.project_id = ${project.id}::uuid and c.deleted_at is null
      order by c.id desc limit ${limit}`,
  ]);
  if (!counted) throw noSuchTicket();
  return { ...counted, latest: latest.reverse() };
}
