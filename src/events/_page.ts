import { hasScope, maySee, visibleProjects } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { eventScope } from "../core/event_types.ts";
import { type Event, readEvents } from "../core/events.ts";
import type { Batch, EventFilter } from "./schema.ts";

/**
 * The most rows in one statement, and the most statements for one page. A caller who asks for rare
 * types continues from `position`.
 */
const SCAN = 500;
const SCANS = 10;
/**
 * The most events in a part of a stream. A client that doesn't read leaves a part in memory, and a
 * user may have a thousand streams.
 */
const STREAMED = 50;

/**
 * Reads the events after `position`, from memory if memory holds all of them, otherwise from the
 * database.
 */
export async function readOn(ctx: ActorContext, filter: EventFilter, position: number): Promise<Batch> {
  const recent = ctx.feed.recentAfter(position);
  if (!recent) return await readPage(ctx, filter, position, STREAMED);
  const wanted = recent.filter((event) => isWanted(ctx, filter, event));
  const part = wanted.slice(0, STREAMED);
  const more = part.length < wanted.length;
  return {
    events: await visibleOf(ctx, part),
    position: (more ? part : recent).at(-1)?.seq ?? position,
    more,
  };
}

/** Reads a caller's page from the database. */
export async function readPage(
  ctx: ActorContext,
  filter: EventFilter,
  after: number,
  limit: number,
): Promise<Batch> {
  const events: Event[] = [];
  // Wanted types may be rare.
  const most = filter.types === undefined ? limit : SCAN;
  let position = after;
  for (let scan = 0; scan < SCANS; scan++) {
    // The highest number is read before the statement is sent, so that the statement sees all
    // events up to that number.
    const { last } = ctx.feed;
    const rows = await readEvents(ctx.db, {
      after: position,
      limit: most,
      projects: projectsOf(ctx, filter),
    });
    for (const event of rows) {
      position = event.seq;
      if (isWanted(ctx, filter, event)) events.push(event);
      if (events.length === limit) return { events, position, more: true };
    }
    if (rows.length < most) return { events, position: Math.max(position, last), more: false };
  }
  return { events, position, more: true };
}

function projectsOf({ db, actor }: ActorContext, { project_id }: EventFilter) {
  return project_id === undefined ? visibleProjects(db, actor) : db`(select ${project_id}::uuid)`;
}

/** Tells whether the caller asked for the event and whether the caller's credential may read it. */
export function isWanted(
  { actor }: ActorContext,
  { project_id, types }: EventFilter,
  { type, entity, project_id: ofProject }: Event,
): boolean {
  return (project_id === undefined || project_id === ofProject) &&
    (types === undefined || types.includes(type) || types.includes(`${entity}.*`)) &&
    hasScope(actor, eventScope(entity));
}

async function visibleOf(ctx: ActorContext, events: Event[]): Promise<Event[]> {
  const projects = [...new Set(events.map(({ project_id }) => project_id))];
  const visible = await Promise.all(projects.map((id) => maySee(ctx, id)));
  const seen = new Set(projects.filter((_, index) => visible[index]));
  return events.filter(({ project_id }) => seen.has(project_id));
}
