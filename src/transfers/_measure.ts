import type { ProjectContext } from "../core/context.ts";

export interface Measured {
  id: string;
  number: number;
  /** Bytes of this ticket and of the earlier ones in the page. */
  bytes: number;
  /** Bytes of this ticket without its history. */
  own_bytes: number;
}

/**
 * The most rows of a ticket's list that are measured. A ticket with more rows counts as too long
 * for any page.
 */
const ROWS = 200;
const ENDLESS = 1e9;

/**
 * Measures the tickets after a number, in their order, until they exceed `pageBytes`, and at most
 * `limit` tickets. Each step measures one ticket, so that little more than a page is decompressed.
 */
export async function measureTickets(
  { db, project, pageBytes }: ProjectContext,
  { after, limit }: { after: number; limit: number },
): Promise<Measured[]> {
  const rows = db.unsafe(String(ROWS));
  const size = db`(coalesce(octet_length(t.description), 0) + coalesce(cardinality(t.labels), 0) * 1100
    + (t.milestone_id is not null)::integer * 21000 + unpacked_bytes(t.evidence)
    + coalesce(octet_length(t.suggested_resolution), 0) + coalesce(octet_length(t.implementation_notes), 0)
    + (select coalesce(sum(coalesce(octet_length(k.body), 0) + coalesce(octet_length(k.summary), 0) + unpacked_bytes(k.acceptance_criteria) + 1000), 0)
      from tasks k where k.ticket_id = t.id)
    + (select coalesce(sum(octet_length(c.instruction) + coalesce(octet_length(c.note), 0) + 1000), 0)
      from test_cases c where c.ticket_id = t.id)
    + (select coalesce(sum(coalesce(octet_length(c.body), 0) + 500), 0) from comments c where c.ticket_id = t.id)
    + (select coalesce(sum(octet_length(q.prompt) + coalesce(octet_length(q.context), 0) + unpacked_bytes(q.options)
        + coalesce(octet_length(q.answer_text), 0) + 2000), 0) from questions q where q.ticket_id = t.id)
    + (select coalesce(sum(unpacked_bytes(c.response)), 0) + (count(*) > ${rows})::integer * ${ENDLESS}
      from (select response from part_creations where ticket_id = t.id limit ${rows} + 1) c))::bigint`;
  const history =
    db`(select coalesce(sum(unpacked_bytes(h.from_value) + unpacked_bytes(h.to_value) + unpacked_bytes(h.changes)), 0)
        + (count(*) > ${rows})::integer * ${ENDLESS}
      from (select from_value, to_value, changes from history where ticket_id = t.id limit ${rows} + 1) h)`;
  // Without the offset, the planner would measure the lists once for each of the two numbers.
  const next = (number: unknown) =>
    db`select t.id, t.number, s.own_bytes, s.own_bytes + ${history}::bigint as bytes
      from tickets t cross join lateral (select ${size} as own_bytes offset 0) s
      where t.project_id = ${project.id}::uuid and t.number > ${number as number}::bigint order by t.number limit 1`;
  return await db<Measured[]>`
    with recursive walk as (
      (select id, number, bytes, own_bytes, 1 as place from (${next(after)}) first)
      union all
      select n.id, n.number, w.bytes + n.bytes, n.own_bytes, w.place + 1
      from walk w cross join lateral (${next(db`w.number`)}) n
      where w.bytes <= ${pageBytes} and w.place < ${limit}
    )
    select id, number, bytes, own_bytes from walk order by number`;
}
