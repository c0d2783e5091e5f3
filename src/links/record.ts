import type { Context } from "../core/context.ts";

/**
 * Lets the history of the other ticket tell of links, too. The link's own ticket has its history by a
 * trigger. Call it while the links are there.
 */
export async function recordOtherSide(
  { db }: Context,
  linkIds: readonly string[],
  action: "created" | "deleted",
): Promise<void> {
  if (linkIds.length === 0) return;
  const facts =
    db`jsonb_strip_nulls(jsonb_build_object('kind', case l.kind when 'blocked_by' then 'blocks' else l.kind end,
    'ref', case when l.project_id = l.other_project_id then p.key || '-' || t.number end))`;
  await db`
    insert into history (project_id, ticket_id, entity, entity_id, action, ${
    action === "created" ? db`to_value` : db`from_value`
  }, actor, request_id)
    select l.other_project_id, l.other_id, 'link', l.id::text, ${action}, ${facts}, acting() - 'request_id', acting() ->> 'request_id'
    from ticket_links l join tickets t on t.id = l.ticket_id join projects p on p.id = t.project_id
    where l.id = any (${[...linkIds]}::uuid[])`;
}
