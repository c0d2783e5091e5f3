import type { Query } from "@tanstack/react-query";
import { codeOf, handoff, queryClient, trpc } from "../api/client.ts";
import type { TicketSummary } from "../api/types.ts";
import { type Conditions, listsByConditions, loadedTickets, placeInLists } from "./ticket_lists.ts";

/** The fields of an event that the portal uses. */
export interface LiveEvent {
  seq: number;
  type: string;
  project_id: string | null;
  entity: string;
  ticket: { id: string; ticket_ref: string } | null;
  changed: string[];
}

/** The place of a ticket in the API: its project, and its own id. */
export interface TicketAt {
  id: string;
  ticketId: string;
}

/** The milliseconds in which the events of one act are gathered, before the service is asked. */
const GATHER_MS = 100;
/** The least milliseconds between two bundles of changes. */
const PACE_MS = 300;
/** The least milliseconds between two readings of a count or list because of others' changes. */
const STEADY_MS = 1_000;
/** The same for groups, whose counts read all tickets, and for views, each of which is a statement. */
const SELDOM_MS = 5_000;
/** The milliseconds until changes are asked for again that the service didn't answer. */
const AGAIN_MS = 2_000;
/** The milliseconds in which the service has to answer. */
const PATIENCE_MS = 15_000;
/** The most tickets that the service lists by their ids at once. */
const MOST_AT_ONCE = 100;

/** Tickets of a project that have changed, by their ids, with their refs as far as they are known. */
type Changed = Map<string, string | undefined>;

/** The changes of each project that nobody has read yet. */
const unread = new Map<string, Changed>();
let later: ReturnType<typeof setTimeout> | undefined;

/**
 * Takes an event of the stream. Events are gathered. Then the changed tickets are read and placed
 * where they are shown, so no list is read again for them.
 */
export function hear({ project_id, ticket, type, changed }: LiveEvent): void {
  if (project_id === null) return;
  note(project_id, new Map(ticket ? [[ticket.id, ticket.ticket_ref]] : []));
  if (SHOWN_ON_TICKETS.has(type)) void readShown(project_id);
  if (!ticket || !(COUNTED.has(type) || changed.includes("parent_id"))) return;
  const parent = loadedTickets(project_id).get(ticket.id)?.parent_id ?? null;
  const { id, ticket_ref: ref } = ticket;
  recounted.set(project_id, new Map([...recounted.get(project_id) ?? [], [id, { ref, parent }]]));
}

/** After these, tickets have other names, colors or columns, and no event tells of each ticket. */
const SHOWN_ON_TICKETS: ReadonlySet<string> = new Set([
  "label.changed",
  "label.deleted",
  "milestone.changed",
  "milestone.deleted",
  "column.created",
  "column.deleted",
]);

/** Reads the tickets of a project again that are shown. */
async function readShown(project: string): Promise<void> {
  const shown = queryClient.getQueryCache().findAll({ queryKey: [["tickets"]] }).filter((query) => {
    const { path: [, name = ""] = [], input = {} } = askedBy(query) ?? {};
    return (name === "list" || name === "get") && input["id"] === project;
  });
  await Promise.all(shown.map((query) => readAgain(query, STEADY_MS)));
}

/** After these, other tickets have other counts of children and open blockers. */
const COUNTED: ReadonlySet<string> = new Set(["ticket.created", "ticket.closed", "ticket.reopened"]);

/** Such changed tickets of each project, with the parent that each had as far as it is known. */
const recounted = new Map<string, Map<string, { ref: string; parent: string | null }>>();

/**
 * Notes the tickets that count the children or blockers that have changed: the parents, those that
 * were parents, and what waits for a changed ticket. No event names these.
 */
async function noteKin(project: string): Promise<void> {
  const all = [...recounted.get(project) ?? []];
  recounted.delete(project);
  if (all.length === 0 || !isShown(project)) return;
  const [changed, rest] = [all.slice(0, MOST_AT_ONCE), all.slice(MOST_AT_ONCE)];
  if (rest.length > 0) recounted.set(project, new Map(rest));
  const refs = changed.map(([, { ref }]) => ref).join(",");
  const [own, waiting] = await Promise.all([
    readByIds(project, {}, changed.map(([id]) => id)),
    handoff.api.tickets.list.query(
      { id: project, q: `link:${refs} is:open`, limit: MOST_AT_ONCE },
      { signal: AbortSignal.timeout(PATIENCE_MS) },
    ),
  ]);
  const before = changed.map(([, { parent }]) => parent);
  const parents = [...before, ...own.map(({ parent_id }) => parent_id), ...shownParents(project)];
  const kin: Changed = new Map([
    ...parents.filter((parent) => parent !== null).map((parent) => [parent, undefined] as const),
    ...waiting.tickets.map((ticket) => [ticket.id, ticket.ticket_ref] as const),
  ]);
  if (kin.size > 0 || rest.length > 0) note(project, kin);
}

/** Whether a ticket or a list of tickets of the project is shown. */
function isShown(project: string): boolean {
  const tickets = queryClient.getQueryCache().findAll({ queryKey: [["tickets"]], type: "active" });
  return tickets.some((query) => askedBy(query)?.input["id"] === project);
}

/**
 * Reads everything again that is shown, because changes have been missed. Everything else is read
 * again when it is shown.
 */
export async function everythingChanged(): Promise<void> {
  await Promise.all(queryClient.getQueryCache().getAll().map((query) => readAgain(query)));
}

/** Reads a ticket again that the caller has changed, and everything that shows a part of it. */
export async function ticketChanged({ id, ticketId }: TicketAt): Promise<void> {
  await ticketsChanged(id, [ticketId]);
}

/** Reads tickets again that the caller has changed, and everything that depends on them. */
export async function ticketsChanged(project: string, ids: readonly string[]): Promise<void> {
  const changed: Changed = new Map(ids.map((id) => [id, undefined]));
  const parts = readParts(project, changed);
  await readTickets(project, changed).catch(() => note(project, changed, AGAIN_MS));
  await parts;
}

/** The tickets on a page or in a panel that have children. They may be the parent that it had. */
function shownParents(project: string): string[] {
  const shown = queryClient.getQueryCache().findAll({ queryKey: trpc.tickets.get.pathKey(), type: "active" });
  return shown.flatMap(({ state }) => {
    const { id, project_id, children } = state.data as Partial<TicketSummary> | undefined ?? {};
    return id && project_id === project && children && children.total > 0 ? [id] : [];
  });
}

function note(project: string, changed: Changed, ms = GATHER_MS): void {
  unread.set(project, new Map([...unread.get(project) ?? [], ...changed]));
  later ??= setTimeout(() => void readUnread(), ms);
}

/** Reads the gathered changes. The next bundle waits until this one is shown. */
async function readUnread(): Promise<void> {
  const bundle = [...unread];
  unread.clear();
  const failed = await Promise.all(bundle.map(async ([project, changed]) => {
    void readParts(project, changed, STEADY_MS);
    void noteKin(project).catch(() => {});
    try {
      await readTickets(project, changed);
    } catch (error) {
      // A project that the person may not see any longer needs no news.
      const isGone = ["forbidden", "not_found", "unauthenticated"].includes(codeOf(error) ?? "");
      if (!isGone) return [[project, changed] as const];
    }
    return [];
  }));
  later = undefined;
  for (const [project, changed] of [...unread]) note(project, changed, PACE_MS);
  for (const [project, changed] of failed.flat()) note(project, changed, AGAIN_MS);
}

/** Reads the changed tickets, once for all lists with the same conditions, and places them there. */
async function readTickets(project: string, changed: Changed): Promise<void> {
  const ids = new Set(changed.keys());
  if (ids.size === 0) return;
  await Promise.all(
    listsByConditions(project).map(async ({ conditions, lists }) => {
      if (!lists.some((list) => list.isActive())) {
        for (const list of lists) list.invalidate();
        return;
      }
      const found = await readByIds(project, conditions, [...ids]);
      const underWay = placeInLists(lists, ids, found);
      for (const reading of underWay) void reading.then(() => note(project, changed));
    }),
  );
}

async function readByIds(project: string, conditions: Conditions, ids: string[]): Promise<TicketSummary[]> {
  const found: TicketSummary[] = [];
  for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
    const named = ids.slice(from, from + MOST_AT_ONCE);
    const { tickets } = await handoff.api.tickets.list.query(
      { id: project, ...conditions, ids: named, limit: MOST_AT_ONCE },
      { signal: AbortSignal.timeout(PATIENCE_MS) },
    );
    found.push(...tickets);
  }
  return found;
}

/**
 * Queries that are not read again after a change of a ticket. People and projects change seldom, and
 * hints are read while a person types.
 */
const STEADY: ReadonlySet<string> = new Set([
  "projects.list",
  "projects.people",
  "tickets.similar",
  "auth.me",
]);

/** Reads everything but the lists of tickets again that changes of tickets concern. */
async function readParts(project: string, changed: Changed, every = 0): Promise<void> {
  const names = new Set([...changed].flat());
  await Promise.all(
    queryClient.getQueryCache().getAll().flatMap((query) => {
      const concern = concernOf(query, project, names);
      if (concern === null) return [];
      if (concern !== "counts") return [readAgain(query, concern === "part" ? 0 : every)];
      // Nobody waits for these. The caller's own change may make a new group.
      void readAgain(query, every === 0 && isOfGroups(query) ? 0 : SELDOM_MS);
      return [];
    }),
  );
}

/**
 * Tells whether a query reads a part of one of the named tickets, or counts or lists of the whole
 * project or account, which are not read after each single change.
 */
function concernOf(query: Query, project: string, names: ReadonlySet<string | undefined>) {
  const asked = askedBy(query);
  if (!asked) return null;
  const { path: [router = "", name = ""], input, isPaged } = asked;
  if (router === "waiting" || router === "inbox" || name === "myWork") return "whole";
  // The links and references of a ticket show the stages and titles of others.
  if ((router === "links" || router === "references") && input["id"] === project) return "whole";
  if (STEADY.has(`${router}.${name}`) || input["id"] !== project) return null;
  if (router === "views" || isOfGroups(query)) return "counts";
  if (router === "tickets" && name === "list" && isPaged) return null;
  if (!("ticketId" in input)) return "whole";
  const { ticket_ref, id } = query.state.data as Partial<TicketSummary> | undefined ?? {};
  const named = input["ticketId"] as string;
  return names.has(named) || (ticket_ref === named && names.has(id)) ? "part" : null;
}

function isOfGroups({ queryKey: [path] }: Query): boolean {
  return Array.isArray(path) && path.join(".") === "tickets.groups";
}

interface Asked {
  path: string[];
  input: Record<string, unknown>;
  isPaged: boolean;
}

/** The input of a query, in the form of tRPC's query keys. */
function askedBy({ queryKey: [path, options] }: Query): Asked | null {
  const { input = {}, type } = (options ?? {}) as { input?: Record<string, unknown>; type?: string };
  return Array.isArray(path) ? { path: path as string[], input, isPaged: type === "infinite" } : null;
}

/** Queries that will be read again, with the end of that reading. */
const planned = new Map<Query, Promise<void>>();

/**
 * Reads a query again, if it is shown. A reading that is under way is never cancelled, because then
 * constant changes would keep everything from being shown. It may have begun before the change, so
 * another reading follows it.
 */
function readAgain(query: Query, every = 0): Promise<void> {
  query.invalidate();
  if (!query.isActive()) return Promise.resolve();
  const reading = planned.get(query) ?? turnOf(query, every).then(() => {
    planned.delete(query);
    return queryClient.refetchQueries({ queryKey: query.queryKey, exact: true, type: "active" }, {
      cancelRefetch: false,
    });
  });
  planned.set(query, reading);
  return reading;
}

/** Waits for the end of a reading that is under way, and until the query may be read again. */
async function turnOf(query: Query, every: number): Promise<void> {
  const rest = query.state.dataUpdatedAt + every - Date.now();
  if (rest > 0) await new Promise((end) => setTimeout(end, rest));
  if (query.state.fetchStatus === "fetching") await Promise.resolve(query.promise).catch(() => {});
}
