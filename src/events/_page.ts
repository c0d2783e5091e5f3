import { hasScope, maySee, visibleProjects } from "../core/access.ts";
import type { ActorContext } from "../core/context.ts";
import { ENTITIES, eventScope } from "../core/event_types.ts";
import { type Event, findEvents } from "../core/events.ts";
import type { Batch, EventFilter } from "./schema.ts";

/**
 * The most events that one statement looks through for wanted types, and the most statements for
 * one page. A caller who asks for rare types continues from `position`.
 */
const SCAN = 1_000;
const SCANS = 5;
/**
 * The most events in a part of a stream. A client that doesn't read leaves a part in memory, and a
 * user may have a thousand streams.
 */
export const STREAMED = 50;

/** Returns the part of a stream that these events from memory give. They follow `position`. */
export async function partOf(
  ctx: ActorContext,
  filter: EventFilter,
  recent: readonly Event[],
  position: number,
): Promise<Batch> {
  const wanted = recent.filter((event) => isWanted(ctx, filter, event));
  const part = wanted.slice(0, STREAMED);
  const more = part.length < wanted.length;
  return {
    events: await visibleOf(ctx, part),
    position: (more ? part : recent).at(-1)?.seq ?? position,
    more,
  };
}

/** Reads a caller's page from the database. Call it in the caller's turn. */
export async function readPage(
  ctx: ActorContext,
  filter: EventFilter,
  after: number,
  limit: number,
): Promise<Batch> {
  const events: Event[] = [];
  const hidden = Object.keys(ENTITIES).filter((entity) => !hasScope(ctx.actor, eventScope(entity)));
  const isPicked = filter.types !== undefined || hidden.length > 0;
  let position = after;
  for (let scan = 0; scan < SCANS; scan++) {
    // The highest number is read before the statement is sent, so that the statement sees all
    // events up to that number.
    const { last } = ctx.feed;
    const found = await findEvents(ctx.db, {
      after: position,
      scan: isPicked ? SCAN : limit,
      limit: limit - events.length,
      projects: projectsOf(ctx, filter),
      types: filter.types,
      hidden,
    });
    events.push(...found.events);
    position = events.at(-1)?.seq ?? position;
    if (events.length === limit) return { events, position, more: true };
    if (found.reached === null) return { events, position: Math.max(position, last), more: false };
    position = found.reached;
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
