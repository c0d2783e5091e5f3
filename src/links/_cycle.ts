import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidCycle } from "../core/errors.ts";

/**
 * Refuses a blocker that, directly or through others, waits for the ticket itself. Call it behind
 * the graph's lock.
 * @throws {AppError} invalid_request with the path in `details.cycle`
 */
export async function refuseCycle(ctx: ProjectContext, ticketId: string, blockerId: string): Promise<void> {
  const edges = await ctx.db<{ from: string; to: string }[]>`
    with recursive reached (id) as (
      select ${blockerId}::uuid union
      select l.other_id from reached r join ticket_links l on l.ticket_id = r.id and l.kind = 'blocked_by'
    )
    select l.ticket_id as from, l.other_id as to from reached r
      join ticket_links l on l.ticket_id = r.id and l.kind = 'blocked_by'`;
  const path = pathOf(edges, blockerId, ticketId);
  if (!path) return;
  const cycle = await namesOf(ctx, [ticketId, ...path]);
  throw invalidCycle("ticket", `These would block one another: ${cycle.join(" → ")}`, cycle);
}

/** Finds the shortest path in the breadth of a graph. */
function pathOf(
  edges: readonly { from: string; to: string }[],
  start: string,
  end: string,
): string[] | undefined {
  const next = Map.groupBy(edges, ({ from }) => from);
  const before = new Map<string, string | null>([[start, null]]);
  const queue = [start];
  for (const id of queue) {
    for (const { to } of next.get(id) ?? []) {
      if (before.has(to)) continue;
      before.set(to, id);
      queue.push(to);
    }
  }
  if (!before.has(end)) return undefined;
  const path = [];
  for (let id: string | null = end; id !== null; id = before.get(id)!) path.unshift(id);
  return path;
}

/** The refs of tickets, without those that the caller may not see. */
async function namesOf({ db, actor }: ProjectContext, ids: string[]): Promise<string[]> {
  const tickets = await db<{ id: string; ref: string }[]>`
    select t.id, p.key || '-' || t.number as ref from tickets t join projects p on p.id = t.project_id
    where t.id = any (${ids}::uuid[]) and p.id in ${visibleProjects(db, actor)}`;
  const refs = new Map(tickets.map(({ id, ref }) => [id, ref]));
  return ids.map((id) => refs.get(id) ?? "hidden");
}
