import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidCycle, invalidField } from "../core/errors.ts";
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
  const refusals = await refusalsOfParent(ctx, [ticketId ?? NEW], parentId);
  for (const refusal of refusals.values()) throw refusal;
}

/** No ticket has this id. A ticket that is about to be created has no children yet. */
const NEW = "00000000-0000-0000-0000-000000000000";

/** The refusal of each ticket that may not become a child of another one, behind the same locks. */
export async function refusalsOfParent(
  ctx: ProjectContext,
  ticketIds: readonly string[],
  parentId: string,
): Promise<Map<string, AppError>> {
  const [parent, ...further] = await ancestorsOf(ctx, parentId);
  if (!parent) throw invalidField("parent_id", "No such ticket in this project");
  const all = [parent, ...further];
  const heights = await heightsOf(ctx, ticketIds);
  let room = MAX_CHILDREN - parent.children_total;
  return new Map(ticketIds.flatMap((id): [string, AppError][] => {
    const refusal = refusalOf(all, { id, height: heights.get(id) ?? 1, room });
    if (!refusal) room--;
    return refusal ? [[id, refusal]] : [];
  }));
}

/** @param all the new parent and its ancestors, the nearest first */
function refusalOf(
  all: readonly Ancestor[],
  { id, height, room }: { id: string; height: number; room: number },
): AppError | undefined {
  const parent = all[0]!;
  const ring = all.findIndex((one) => one.id === id);
  if (ring >= 0) return ringError([all[ring]!, ...all.slice(0, ring + 1)]);
  if (parent.status === "closed") {
    return new AppError("conflict", `Cannot add a child to ticket ${parent.ticket_ref}: it is closed`);
  }
  if (room <= 0) {
    return new AppError(
      "conflict",
      `Ticket ${parent.ticket_ref} has ${MAX_CHILDREN} children, which is the most`,
    );
  }
  if (all.length + height <= MAX_LEVELS) return undefined;
  return invalidField("parent_id", `Tickets may have at most ${MAX_LEVELS} levels`);
}

function ringError(tickets: readonly Ancestor[]): AppError {
  const cycle = tickets.map(({ ticket_ref }) => ticket_ref);
  return invalidCycle("parent_id", `These would be parts of one another: ${cycle.join(" → ")}`, cycle);
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

/** The levels of tickets and their descendants, by ticket. */
async function heightsOf({ db }: ProjectContext, ticketIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db<{ root: string; height: number }[]>`
    with recursive below as (
      select id as root, id, 1 as level from unnest(${[...ticketIds]}::uuid[]) as id
      union all
      select b.root, t.id, b.level + 1 from below b join tickets t on t.parent_id = b.id where b.level <= ${MAX_LEVELS}
    )
    select root, max(level) as height from below group by root`;
  return new Map(rows.map(({ root, height }) => [root, height]));
}
