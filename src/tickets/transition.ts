import type { Fragment } from "../../db/open.ts";
import { releaseTasks } from "../assignments/question_block.ts";
import { lockAssignees } from "../assignments/may_hold.ts";
import { firstColumn } from "../columns/in_column.ts";
import { mayWrite, projectsFor } from "../core/access.ts";
import { recordAudit } from "../core/audit.ts";
import { type Context, isBot, type ProjectContext } from "../core/context.ts";
import type { AppError } from "../core/errors.ts";
import { recordEvents } from "../core/history.ts";
import { jsonb } from "../core/json.ts";
import { newVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { type Blockers, blockersColumn, ticketIsBlocked } from "./blockers.ts";
import { endQuestions } from "./_end_questions.ts";
import { type ExpectedVersions, refusalOfVersion } from "./expected_version.ts";
import { type ClosingRequest, isUnfinished, type Obstacles, obstaclesColumn, refusalOf } from "./gates.ts";
import { withKin } from "./lock.ts";
import { recount } from "./recount.ts";
import type { Stage, Status, UnfinishedTask } from "./schema.ts";

/**
 * A request to put tickets into a stage. `live` closes a ticket; any other stage reopens a closed
 * one.
 */
interface TransitionRequest extends ClosingRequest {
  to: Stage;
  /** The column of that stage into which the tickets come. If absent, its first one. */
  columnId?: string | undefined;
  /** For a move out of live. The closing is undone, so the ticket doesn't count as reopened. */
  undone?: boolean;
  /**
   * The tickets' commit has just gone live. Tickets without a deploy stamp get one and don't count
   * as reopened.
   */
  deployed?: boolean;
  /** A ticket that has another version is refused. */
  versions?: ExpectedVersions | undefined;
  /** Returns the same answer and changes nothing. */
  dryRun?: boolean;
}

/** The result for one ticket. With `refusal`, the ticket is as it was before. */
export interface TransitionResult {
  id: string;
  ticket_ref: string;
  stage: Stage;
  status: Status;
  /** The column into which it comes; null if it stays, or its new stage has none. */
  column_id: string | null;
  /** The version after the call. */
  version: number;
  changed: boolean;
  /** The tasks that an agent left unfinished when it closed the ticket. */
  unfinished_tasks?: UnfinishedTask[];
  /** The refusal of the first gate that holds the ticket back. */
  refusal?: AppError;
}

interface Facts {
  id: string;
  ticket_ref: string;
  project_id: string;
  account_id: string;
  stage: Stage;
  status: Status;
  version: number;
  /** The first column of the new stage in the ticket's project. */
  first_column: string | null;
  pending_questions: number;
  blockers: Blockers | null;
  obstacles: Obstacles;
  unfinished_tasks: UnfinishedTask[] | null;
  /** The tickets whose counts name this one, if it opens or closes. */
  counted_by: string[];
}

/** The most unfinished tasks that an answer names. */
const MAX_UNFINISHED = 50;

/**
 * Changes the stage and status of tickets; no other code does. Each ticket is decided on its own
 * while its lock is held. The number of statements doesn't depend on the number of tickets. Call it
 * inside `transact`. Unknown ids, and ids outside `projectId`, are left out of the answer.
 */
export async function transitionTickets(
  ctx: Context,
  projectId: string | null,
  ticketIds: readonly string[],
  request: TransitionRequest,
): Promise<TransitionResult[]> {
  const tickets = await lockFacts(ctx, projectId, ticketIds, request);
  const { results, changed } = decideAll(tickets, request);
  // Both statements are sent together, so that they cost one round trip.
  if (!request.dryRun && changed.length > 0) {
    await Promise.all([write(ctx, changed, request), recordBypasses(ctx, changed, request)]);
    await recount(ctx, changed.flatMap(({ counted_by }) => counted_by));
  }
  return results;
}

/**
 * Moves all of the tickets or none.
 * @throws {AppError} one of GATE_CODES
 */
export async function moveTickets(
  ctx: ProjectContext,
  ticketIds: readonly string[],
  request: TransitionRequest,
): Promise<TransitionResult[]> {
  const caller = kindOfCaller(ctx);
  const results = await transitionTickets(ctx, ctx.project.id, ticketIds, { caller, ...request });
  for (const { refusal } of results) if (refusal) throw refusal;
  return results;
}

/** Tells whether the caller counts as a person or as a bot. */
export function kindOfCaller({ actor }: ProjectContext): "person" | "bot" {
  return isBot(actor) ? "bot" : "person";
}

/**
 * Locks the tickets with those that count them, so that two calls never wait for each other. A caller
 * that locks tickets before has locked all of these. The column is locked before them. The facts are
 * read after the lock, so that they are current.
 */
async function lockFacts(
  ctx: Context,
  projectId: string | null,
  ticketIds: readonly string[],
  { to, columnId, caller }: TransitionRequest,
): Promise<Facts[]> {
  const { db } = ctx;
  const firstOf = (project: Fragment) =>
    to === "live" || columnId !== undefined ? db`null::uuid` : firstColumn(db, { project, stage: db`${to}` });
  const unfinished = to === "live" && caller === "bot" ? unfinishedTasks(db) : db`null`;
  const ids = [...ticketIds];
  const inProject = projectId === null ? db`` : db`and t.project_id = ${projectId}::uuid`;
  const counts = to === "live" ? db`true` : db`t.status = 'closed'`;
  const [, facts] = await inOrder(
    db`
      with first as materialized (
        select ${firstOf(db`p.id`)} from (
          select distinct t.project_id as id from tickets t where t.id = any (${ids}::uuid[]) ${inProject}) p
      )
      select from tickets where id = any (array(${
      withKin(db, db`(select t.id from tickets t where t.id = any (${ids}::uuid[]) ${inProject})`, to)
    })) and (select count(*) from first) >= 0 order by id for update`,
    db<Facts[]>`
      select t.id, p.key || '-' || t.number as ticket_ref, t.project_id, p.account_id, t.stage, t.status, t.version, t.pending_questions,
        ${firstOf(db`t.project_id`)} as first_column,
        ${to === "in_progress" ? blockersColumn(db) : db`null`} as blockers,
        ${
      obstaclesColumn(db)
    } as obstacles, ${unfinished} as unfinished_tasks, case when ${counts} then array(
          select l.ticket_id from ticket_links l where l.other_id = t.id and l.kind = 'blocked_by'
          union all select t.parent_id where t.parent_id is not null) else '{}' end as counted_by
      from tickets t join projects p on p.id = t.project_id
      where t.id = any (${ids}::uuid[]) ${inProject}
      order by t.id`,
  );
  return facts;
}

/** The unfinished tasks of ticket `t` of project `p`, as a column. Null if there is none. */
function unfinishedTasks(db: Context["db"]) {
  return db`case when t.tasks_done < t.tasks_total then (
    select jsonb_agg(jsonb_build_object('id', k.id, 'name', p.key || '-' || t.number || '/' || k.number, 'title', k.title,
      'status', k.status) order by k.sequence)
    from (select * from tasks where ticket_id = t.id and status not in ('done', 'skipped') order by sequence limit ${MAX_UNFINISHED}) k
  ) end`;
}

/**
 * Decides children before their parents, because a child that this call closes doesn't keep its parent
 * open. `changed` has the facts that were left to decide about.
 */
function decideAll(
  tickets: readonly Facts[],
  request: TransitionRequest,
): { results: TransitionResult[]; changed: Facts[] } {
  const given = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  const decided = new Map<string, { left: Facts; result: TransitionResult }>();
  const closes = (child: Obstacles["children"][number]) => {
    const one = given.get((child as { id: string }).id);
    return one !== undefined && !decideOne(one).result.refusal;
  };
  const decideOne = (ticket: Facts): { left: Facts; result: TransitionResult } => {
    const before = decided.get(ticket.id);
    if (before) return before;
    const { obstacles } = ticket;
    const children = request.to === "live" ? obstacles.children.filter((child) => !closes(child)) : [];
    const left = { ...ticket, obstacles: { ...obstacles, children } };
    const now = { left, result: decide(left, request) };
    decided.set(ticket.id, now);
    return now;
  };
  const all = tickets.map(decideOne);
  return {
    results: all.map(({ result }) => result),
    changed: all.filter(({ result }) => result.changed).map(({ left }) => left),
  };
}

function decide(ticket: Facts, request: TransitionRequest): TransitionResult {
  const { to } = request;
  const { id, ticket_ref, stage, status, version, obstacles } = ticket;
  const stays = { id, ticket_ref, stage, status, version, column_id: null, changed: false };
  const stale = refusalOfVersion(ticket, request.versions);
  if (stale) return { ...stays, refusal: stale };
  if (stage === to) return stays;
  const refusal = to === "live" ? refusalOf(ticket_ref, obstacles, request) : refusalOfStart(ticket, request);
  if (refusal) return { ...stays, refusal };
  const moved = {
    ...stays,
    stage: to,
    status: to === "live" ? "closed" : "open",
    column_id: columnFor(ticket, request),
    version: version + 1,
    changed: true,
  } as const;
  return ticket.unfinished_tasks ? { ...moved, unfinished_tasks: ticket.unfinished_tasks } : moved;
}

function columnFor({ first_column }: Facts, { columnId }: TransitionRequest): string | null {
  return columnId ?? first_column;
}

/** An agent doesn't begin what waits for another ticket. A person may. */
function refusalOfStart(
  { ticket_ref, blockers }: Facts,
  { caller }: TransitionRequest,
): AppError | undefined {
  if (!blockers || caller !== "bot") return undefined;
  return ticketIsBlocked(`move ticket ${ticket_ref} to in_progress`, blockers);
}

async function write(
  ctx: Context,
  tickets: Facts[],
  request: TransitionRequest,
): Promise<void> {
  const { db } = ctx;
  const { to, resolution, undone, deployed, caller } = request;
  const columns = Object.fromEntries(tickets.map((one) => [one.project_id, columnFor(one, request)]));
  const live = to === "live";
  const ids = tickets.map(({ id }) => id);
  const reopens = tickets.some(({ status }) => status === "closed");
  const skips = live && tickets.some(({ obstacles }) => obstacles.roles.length > 0);
  const asked = live ? tickets.filter(({ pending_questions }) => pending_questions > 0) : [];
  const { type = "completed", note = null } = resolution ?? {};
  const assigned =
    db`select assignee_user_id from tickets where id = any (${ids}::uuid[]) and status = 'closed'`;
  if (reopens) await lockAssignees(ctx, assigned);
  // The right-hand sides have the values before the update.
  const [, , blocking] = await Promise.all([
    db`
      update tickets set stage = ${to}, status = ${live ? "closed" : "open"}, ${newVersion(db, "tickets")},
        column_id = (${jsonb(db, columns)} ->> project_id::text)::uuid,
        closed_at = ${live ? db`clock_timestamp()` : null}, resolution_type = ${live ? type : null},
        resolution_note = ${live ? note : null}
        ${reopens ? db`, assignee_user_id = ${keptAssignee(db)}` : db``}
        ${live || undone ? db`` : db`, reopened = reopened or status = 'closed'`}
        ${deployed ? db`, deployed_at = coalesce(deployed_at, clock_timestamp()), reopened = false` : db``}
      where id = any (${ids}::uuid[])`,
    skips && db`
      update ticket_roles r set status = 'skipped'
      where ticket_id = any (${ids}::uuid[]) and ${isUnfinished(db)}`,
    asked.length > 0
      ? endQuestions(ctx, asked.map(({ id }) => id), { note, byPerson: caller === "person" })
      : [],
    reopens && db`delete from ticket_duplicates where ticket_id = any (${ids}::uuid[])`,
    (live || reopens) && db`
      update ticket_embeddings set open = ${!live} where ticket_id = any (${ids}::uuid[]) and open = ${live}`,
  ]);
  if (blocking.length > 0) await releaseTasks(ctx, blocking.map(({ id }) => id));
}

/** Keeps the assignee of a ticket that opens, unless the assignee has lost the right to write. */
function keptAssignee(db: Context["db"]) {
  return db`case when exists (
    select from ${projectsFor(db, db`tickets.assignee_user_id`)} where p.id = tickets.project_id and ${
    mayWrite(db)
  }
  ) then assignee_user_id end`;
}

/** Records what a person passed over: test cases that were not approved, open children, and blockers. */
async function recordBypasses(ctx: Context, moved: Facts[], request: TransitionRequest): Promise<void> {
  const { to, caller, skipHumanTestGate, skipOpenChildren } = request;
  const [cases, children, blocked] = [
    to === "live" && skipHumanTestGate ? moved.filter(({ obstacles }) => obstacles.cases.length > 0) : [],
    to === "live" && skipOpenChildren ? moved.filter(({ obstacles }) => obstacles.children.length > 0) : [],
    caller === "person" ? moved.filter(({ blockers }) => blockers !== null) : [],
  ];
  const events = [
    ...cases.map((ticket) => bypass(ticket, "human_test_gate_skipped", { cases: ticket.obstacles.cases })),
    ...children.map((ticket) =>
      bypass(ticket, "open_children_skipped", { children: ticket.obstacles.children })
    ),
    ...blocked.map((ticket) => bypass(ticket, "moved_while_blocked", { blockers: ticket.blockers!.named })),
  ];
  const [first] = cases;
  await Promise.all([
    events.length > 0 && recordEvents(ctx, events),
    first && recordAudit(ctx, {
      account_id: first.account_id,
      action: "ticket.human_test_gate_skipped",
      target_type: "project",
      target_id: first.project_id,
      details: {
        tickets: cases.map(({ id, ticket_ref, obstacles }) => ({ id, ticket_ref, cases: obstacles.cases })),
      },
    }),
  ]);
}

function bypass({ project_id, id }: Facts, action: string, details: Record<string, unknown>) {
  return { project_id, ticket_id: id, action, details };
}
