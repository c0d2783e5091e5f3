import { z } from "zod";
import type { Db, Fragment } from "../../db/open.ts";
import { ENTITIES, eventType } from "./event_types.ts";
import { jsonb } from "./json.ts";
import { Author, Id, LargeInteger, Timestamp } from "./schema.ts";

export const Event = z.object({
  seq: LargeInteger.describe(
    "The event's number. Numbers have no gaps, so a reader notices a missed event",
  ),
  type: z.string().describe("Type of the event, such as ticket.closed; later versions may add more types"),
  at: Timestamp.describe("When the event happened"),
  project_id: Id,
  ticket: z.object({
    id: Id,
    ticket_ref: z.string(),
    title: z.string(),
    stage: z.string(),
    status: z.string(),
    version: z.int(),
  }).nullable().describe(
    "The ticket after the change; null for an event without a ticket, such as a deploy",
  ),
  entity: z.string().describe("The kind of thing that changed, such as ticket, task or test_case"),
  entity_id: z.string(),
  changed: z.array(z.string()).describe(
    "The fields that changed; empty if the thing was created or deleted, or if the event changed no field",
  ),
  actor: Author,
  request_id: z.string().nullable(),
}).meta({ id: "Event" });
export type Event = z.infer<typeof Event>;

interface EventRow extends Omit<Event, "type" | "changed" | "ticket"> {
  action: string;
  new_status: string | null;
  changed: string[] | null;
  ticket_id: string | null;
  ticket_ref: string;
  title: string;
  stage: string;
  status: string;
  version: number;
}

export interface Span {
  /** The number just before the first event. */
  after: number;
  limit: number;
  /** The last number that may be read. */
  last?: number;
  /** A subselect of project ids. If it is given, only events of these projects are read. */
  projects?: Fragment | undefined;
}

/** Reads events in the order of their numbers. */
export function readEvents(db: Db, span: Span): Promise<Event[]> {
  return readRows(db, span.projects ? eventsOfProjects(db, span.projects, span) : eventsAfter(db, span));
}

async function readRows(db: Db, events: Fragment): Promise<Event[]> {
  const rows = await db<EventRow[]>`
    select ${eventColumns(db)}
    from (${events}) e
    join history h on h.id = e.history_id
    join projects p on p.id = e.project_id
    left join tickets t on t.id = h.ticket_id
    order by e.seq`;
  return rows.map(toEvent);
}

/** Reads the events of these numbers that are still kept. */
export function readEventsOf(db: Db, seqs: readonly number[]): Promise<Event[]> {
  return readRows(db, db`select * from events where seq = any (${[...seqs]}::bigint[])`);
}

export interface Search extends Span {
  projects: Fragment;
  /** The most events that are looked through. */
  scan: number;
  /** Types, or patterns such as `task.*`; if absent, all types are wanted. */
  types: readonly string[] | undefined;
  /** Entities whose events are left out. */
  hidden: readonly string[];
}

export interface FoundEvents {
  events: Event[];
  /** The number of the last event that was looked through; null if there is no event after it. */
  reached: number | null;
}

/** The names of changes of a thing's status, by the kind of thing and the new status. */
const NAMED_STATUSES = Object.fromEntries(
  Object.entries(ENTITIES).flatMap(([entity, { statuses }]) => statuses ? [[entity, statuses]] : []),
);

/**
 * Looks through the next events of some projects for those that a caller wants, in the order of
 * their numbers. The database leaves out the others, so that rare types cost few statements.
 */
export async function findEvents(db: Db, search: Search): Promise<FoundEvents> {
  const { after, limit, projects, scan, types, hidden } = search;
  // eventType() gives the same names.
  const type = db`h.entity || '.' || coalesce(
    ${jsonb(db, NAMED_STATUSES)}::jsonb -> h.entity ->> (h.changes -> 'status' ->> 1), h.action)`;
  const ofTypes = types
    ? db`and (h.entity || '.*' = any (${types}::text[]) or ${type} = any (${types}::text[]))`
    : db``;
  const rows = await db<(EventRow & { reached: number | null })[]>`
    with scanned as materialized (${eventsOfProjects(db, projects, { after, limit: scan })}),
    wanted as (
      select e.* from scanned e join history h on h.id = e.history_id
      where h.entity <> all (${hidden}::text[]) ${ofTypes}
      order by e.seq limit ${limit}
    )
    select ${eventColumns(db)}, s.reached
    from (select case when count(*) = ${scan} then max(seq) end as reached from scanned) s
    left join (
      wanted e join history h on h.id = e.history_id
      join projects p on p.id = e.project_id
      left join tickets t on t.id = h.ticket_id
    ) on true
    order by e.seq`;
  const events = rows.flatMap((row) => row.seq === null ? [] : [toEvent(row)]);
  return { events, reached: rows[0]!.reached };
}

function eventColumns(db: Db): Fragment {
  return db`e.seq, h.created_at as at, e.project_id, h.entity, h.entity_id, h.action, h.actor, h.request_id,
    h.changes -> 'status' ->> 1 as new_status,
    case when h.changes is not null then array(select jsonb_object_keys(h.changes)) end as changed,
    h.ticket_id, p.key || '-' || t.number as ticket_ref, e.title, e.stage, e.status, e.ticket_version as version`;
}

function eventsAfter(db: Db, { after, limit }: Span): Fragment {
  return db`select * from events where seq > ${after}::bigint order by seq limit ${limit}`;
}

/**
 * Reads each project's events by its index, so that a quiet project among busy ones costs no more
 * than another.
 */
function eventsOfProjects(db: Db, projects: Fragment, { after, limit, last }: Span): Fragment {
  const upTo = last === undefined ? db`` : db`and seq <= ${last}::bigint`;
  return db`
    select o.* from ${projects} p (id) cross join lateral (
      select * from events where project_id = p.id and seq > ${after}::bigint ${upTo} order by project_id, seq limit ${limit}
    ) o order by o.seq limit ${limit}`;
}

function toEvent(row: EventRow): Event {
  const { seq, at, project_id, entity, entity_id, actor, request_id, ticket_id } = row;
  const { ticket_ref, title, stage, status, version } = row;
  return {
    seq,
    type: eventType(row),
    at,
    project_id,
    ticket: ticket_id === null ? null : { id: ticket_id, ticket_ref, title, stage, status, version },
    entity,
    entity_id,
    changed: row.changed ?? [],
    actor,
    request_id,
  };
}
