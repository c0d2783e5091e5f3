import type { Context } from "../core/context.ts";
import { recordEvents } from "../core/history.ts";
import { inOrder } from "../core/in_order.ts";

interface Counted {
  id: string;
  project_id: string;
  status: string;
  before: number;
  open_blockers: number;
}

/**
 * Counts for each ticket the open tickets that block it, and its children, after links, parents or
 * statuses have changed. An open ticket that loses its last blocker is released. This is one event,
 * however many blockers end at once. Call it inside `transact`, behind the locks of what changed.
 */
export async function recount(ctx: Context, ticketIds: readonly string[]): Promise<void> {
  if (ticketIds.length === 0) return;
  const ids = [...new Set(ticketIds)];
  const { db } = ctx;
  const [, counted] = await inOrder(
    db`select from tickets where id = any (${ids}::uuid[]) order by id for update`,
    db<Counted[]>`
      update tickets t set open_blockers = n.open_blockers, children_open = n.children_open, children_total = n.children_total
      from (
        select k.id, k.open_blockers as before, b.open_blockers, c.children_open, c.children_total from tickets k, lateral (
          select count(*)::integer as open_blockers from ticket_links l join tickets o on o.id = l.other_id
          where l.ticket_id = k.id and l.kind = 'blocked_by' and o.status = 'open') b, lateral (
          select count(*)::integer as children_total, (count(*) filter (where o.status = 'open'))::integer as children_open
          from tickets o where o.parent_id = k.id) c
        where k.id = any (${ids}::uuid[])
      ) n
      where t.id = n.id and (t.open_blockers, t.children_open, t.children_total)
        is distinct from (n.open_blockers, n.children_open, n.children_total)
      returning t.id, t.project_id, t.status, n.before, t.open_blockers`,
  );
  await endClaims(ctx, counted.filter(({ before, open_blockers }) => before === 0 && open_blockers > 0));
  const released = counted.filter(({ status, before, open_blockers }) =>
    status === "open" && before > 0 && open_blockers === 0
  );
  if (released.length === 0) return;
  await recordEvents(
    ctx,
    released.map(({ id, project_id }) => ({ project_id, ticket_id: id, action: "unblocked" })),
  );
}

/**
 * Waits for claims of tasks of the tickets that are blocked now. A claim locks only its task, and
 * looks at the ticket again behind this lock. So each claim either ends before the blocker is there,
 * or sees it.
 */
async function endClaims({ db }: Context, blocked: readonly Counted[]): Promise<void> {
  if (blocked.length === 0) return;
  await db`
    select from tasks where ticket_id = any (${blocked.map(({ id }) => id)}::uuid[]) and status = 'pending'
    order by id for update`;
}
