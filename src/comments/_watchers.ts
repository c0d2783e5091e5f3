import type { ProjectContext } from "../core/context.ts";

/**
 * Makes people watch a ticket on which they commented or were mentioned. Who watches it already, or
 * has muted it, is left as it is.
 */
export async function addWatchers(
  { db, project }: ProjectContext,
  ticketId: string,
  { author, mentioned }: { author: string | null; mentioned: readonly string[] },
): Promise<void> {
  if (author === null && mentioned.length === 0) return;
  await db`
    insert into watchers (ticket_id, user_id, project_id, reason)
    select ${ticketId}::uuid, u.id, ${project.id}::uuid, case when u.id = ${author}::uuid then 'comment' else 'mention' end
    from users u where u.kind = 'human' and u.id = any (${[
    ...mentioned,
    ...(author ? [author] : []),
  ]}::uuid[])
    order by u.id on conflict do nothing`;
}
