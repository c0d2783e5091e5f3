import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { MAX_CHILDREN, MAX_LEVELS } from "./schema.ts";

interface Ancestor {
  id: string;
  ticket_ref: string;
  status: string;
  children_total: number;
}

/**
 * Checks that a ticket may become a child of another one. Call it behind the locks of both and of
 * the account's graph.
 * @param ticketId null for a ticket that is about to be created
 * @throws {AppError} invalid_request, for a ring with its path in `details.cycle`; conflict if the
 * parent is closed or has too many children
 */
export async function checkParent(
  ctx: ProjectContext,
  ticketId: string | null,
  parentId: string,
): Promise<void> {
  const [parent, ...further] = await ancestorsOf(ctx, parentId);
  if (!parent) throw invalidField("parent_id", "No such ticket in this project");
  const all = [parent, ...further];
  const ring = all.findIndex(({ id }) => id === ticketId);
  if (ring >= 0) throw isRing([all[ring]!, ...all.slice(0, ring + 1)]);
  if (parent.status === "closed") {
    throw new AppError("conflict", `Cannot add a child to ticket ${parent.ticket_ref}: it is closed`);
  }
  if (parent.children_total >= MAX_CHILDREN) {
    throw new AppError(
      "conflict",
      `Ticket ${parent.ticket_ref} has ${MAX_CHILDREN} children, which is the most`,
    );
  }
  if (all.length + await heightOf(ctx, ticketId) > MAX_LEVELS) {
    throw invalidField("parent_id", `Tickets may have at most ${MAX_LEVELS} levels`);
  }
}

function isRing(tickets: readonly Ancestor[]): AppError {
  const cycle = tickets.map(({ ticket_ref }) => ticket_ref);
  const message = `These would be parts of one another: ${cycle.join(" → ")}`;
  return new AppError("invalid_request", `Invalid request: parent_id: ${message}`, {
    issues: [{ path: "parent_id", message }],
    details: { cycle },
  });
}

/** The ticket and its ancestors, the nearest first. */
async function ancestorsOf({ db, project }: ProjectContext, ticketId: string): Promise<Ancestor[]> {
  return await db<Ancestor[]>`
    with recursive line as (
      select id, number, status, children_total, parent_id, 1 as level from tickets
      where id = ${ticketId}::uuid and project_id = ${project.id}::uuid
      union all
      select t.id, t.number, t.status, t.children_total, t.parent_id, l.level + 1
      from line l join tickets t on t.id = l.parent_id where l.level <= ${MAX_LEVELS}
    )
    select id, ${project.key} || '-' || number as ticket_ref, status, children_total from line order by level`;
}

/** The levels of a ticket and its descendants. */
async function heightOf({ db }: ProjectContext, ticketId: string | null): Promise<number> {
  if (ticketId === null) return 1;
  const [{ height }] = await db<[{ height: number }]>`
    with recursive below as (
      select ${ticketId}::uuid as id, 1 as level
      union all
      select t.id, b.level + 1 from below b join tickets t on t.parent_id = b.id where b.level <= ${MAX_LEVELS}
    )
    select max(level) as height from below`;
  return height;
}
