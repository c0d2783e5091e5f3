import { visibleProjects } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError, invalidField } from "../core/errors.ts";
import { jsonb } from "../core/json.ts";
import { recordOtherSide } from "../links/record.ts";
import { MAX_LINKS } from "../links/schema.ts";
import { lockGraph } from "../tickets/lock_graph.ts";
import { recount } from "../tickets/recount.ts";
import { MAX_CHILDREN, MAX_LEVELS } from "../tickets/schema.ts";
import type { TicketRecord } from "./schema.ts";

interface LinkRow {
  id: string;
  kind: "blocked_by" | "blocks" | "relates" | "duplicates" | "duplicated_by" | "parent";
  other_id: string;
}

/** The links of the records, each with the ticket that has it and the other one. */
export function linksOf(records: readonly TicketRecord[]): LinkRow[] {
  return records.flatMap(({ id, duplicate_of, parent_id, links = [] }) => [
    ...(duplicate_of ? [{ id, kind: "duplicates", other_id: duplicate_of } as const] : []),
    ...(parent_id ? [{ id, kind: "parent", other_id: parent_id } as const] : []),
    ...links.map(({ kind, ticket_id }) => ({ id, kind, other_id: ticket_id })),
  ]);
}

/** Locks the tickets of links that exist already, behind the lock of the account's graph. */
export async function lockLinked(ctx: ProjectContext, links: readonly LinkRow[]): Promise<void> {
  if (links.length === 0) return;
  const { db } = ctx;
  await lockGraph(ctx);
  await db`
    select from tickets where id = any (${links.flatMap(({ id, other_id }) => [id, other_id])}::uuid[])
      and project_id in ${linkedProjects(ctx)} order by id for update`;
}

/** The projects of whose tickets a link of the import may be. */
function linkedProjects({ db, actor, project }: ProjectContext) {
  return db`(select p.id from projects p where p.account_id = ${project.account_id}::uuid and p.archived_at is null
    and p.id in ${visibleProjects(db, actor)})`;
}

/**
 * Inserts links whose two tickets both exist. The importer sends a ticket again at the end if a link
 * of it had to wait. A link to a ticket of another project comes with the later one of the two
 * projects. A ticket that was reopened here in between is no duplicate again. Call it behind the
 * locks of these tickets and of the account's graph.
 * @throws {AppError} invalid_request for tickets in a ring; conflict for too many links
 */
export async function insertLinks(ctx: ProjectContext, records: readonly TicketRecord[]): Promise<void> {
  const { db, project } = ctx;
  const links = linksOf(records);
  if (links.length === 0) return;
  const given = db`
    jsonb_to_recordset(${jsonb(db, links)}) as r (id uuid, kind text, other_id uuid)
    join tickets t on t.id = r.id and t.project_id = ${project.id}::uuid
    join tickets o on o.id = r.other_id and o.project_id in ${linkedProjects(ctx)}`;
  // Each link has one direction, from `a` to `b`.
  const directed = db`${given} cross join lateral (
      select r.kind in ('blocks', 'duplicated_by') or r.kind = 'relates' and o.id < t.id as turned) d
    join tickets a on a.id = case when d.turned then o.id else t.id end
    join tickets b on b.id = case when d.turned then t.id else o.id end
    left join projects p on p.id = b.project_id and b.project_id = a.project_id`;
  await db`
    insert into ticket_duplicates (ticket_id, project_id, duplicate_of, ref)
    select a.id, a.project_id, b.id, p.key || '-' || b.number from ${directed}
    where r.kind in ('duplicates', 'duplicated_by') and a.status = 'closed' and a.resolution_type = 'duplicate'
    on conflict do nothing`;
  const made = await db<{ id: string }[]>`
    insert into ticket_links (id, ticket_id, project_id, kind, other_id, other_project_id, ref)
    select gen_random_uuid(), a.id, a.project_id, case r.kind when 'blocks' then 'blocked_by' else r.kind end,
      b.id, b.project_id, p.key || '-' || b.number from ${directed}
    where r.kind in ('blocked_by', 'blocks', 'relates') on conflict do nothing returning id`;
  await recordOtherSide(ctx, made.map(({ id }) => id), "created");
  const parents = await db`
    update tickets c set parent_id = p.other_id from (
      select t.id, o.id as other_id from ${given} where r.kind = 'parent' and o.project_id = t.project_id) p
    where c.id = p.id and c.parent_id is null`;
  await recount(ctx, links.flatMap(({ id, other_id }) => [id, other_id]));
  if (parents.count > 0) await refuseParents(ctx);
  if (made.length > 0) await refuseRing(ctx, records);
  await refuseTooMany(ctx, links);
}

/** A ring has no end, so it has too many levels. */
async function refuseParents({ db, project }: ProjectContext): Promise<void> {
  const [deep] = await db<{ number: number }[]>`
    with recursive line as (
      select id, number, parent_id, 1 as level from tickets where project_id = ${project.id}::uuid and parent_id is not null
      union all
      select l.id, l.number, t.parent_id, l.level + 1 from line l join tickets t on t.id = l.parent_id
      where l.level <= ${MAX_LEVELS}
    )
    select number from line where level > ${MAX_LEVELS} limit 1`;
  if (deep) {
    throw invalidField(
      "records",
      `Ticket ${project.key}-${deep.number} has more than ${MAX_LEVELS} levels of parents, or is a part of itself`,
    );
  }
}

async function refuseRing({ db, project }: ProjectContext, records: readonly TicketRecord[]): Promise<void> {
  const edges = await db<{ from: string; to: string }[]>`
    with recursive reached (id) as (
      select id from tickets where id = any (${
    records.map(({ id }) => id)
  }::uuid[]) and project_id = ${project.id}::uuid union
      select l.other_id from reached r join ticket_links l on l.ticket_id = r.id and l.kind = 'blocked_by'
    )
    select l.ticket_id as from, l.other_id as to from reached r
      join ticket_links l on l.ticket_id = r.id and l.kind = 'blocked_by'`;
  const waits = Map.groupBy(edges, ({ from }) => from);
  for (let before = -1; before !== waits.size;) {
    before = waits.size;
    for (const [id, its] of waits) if (!its.some(({ to }) => waits.has(to))) waits.delete(id);
  }
  if (waits.size > 0) throw invalidField("records", "Tickets block one another in a ring");
}

async function refuseTooMany({ db }: ProjectContext, links: readonly LinkRow[]): Promise<void> {
  const ids = [...new Set(links.flatMap(({ id, other_id }) => [id, other_id]))];
  const [most] = await db<[{ links: number | null; children: number | null }]>`
    select max(t.children_total) as children, max((select count(*) from ticket_links l where l.ticket_id = t.id)
      + (select count(*) from ticket_links l where l.other_id = t.id)) as links
    from tickets t where t.id = any (${ids}::uuid[])`;
  if ((most.links ?? 0) > MAX_LINKS) {
    throw new AppError("conflict", `A ticket may have at most ${MAX_LINKS} links`);
  }
  if ((most.children ?? 0) > MAX_CHILDREN) {
    throw new AppError("conflict", `A ticket may have at most ${MAX_CHILDREN} children`);
  }
}
