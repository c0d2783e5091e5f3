import type { Db } from "../../db/open.ts";
import { recordAudit } from "../core/audit.ts";
import { type Context, isBot, type ProjectContext } from "../core/context.ts";
import { counted } from "../core/counted.ts";
import { AppError } from "../core/errors.ts";
import { recordEvents } from "../core/history.ts";
import { newVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { endQuestions } from "./_end_questions.ts";
import type { Resolution, Stage, Status } from "./schema.ts";

/** What is asked of tickets: to stand in a stage. `live` closes, any other stage reopens what is closed. */
interface TransitionRequest {
  to: Stage;
  /** How a closing is resolved; completed, without a note, when absent. */
  resolution?: Resolution;
  /** Unfinished roles are set to skipped instead of refusing. */
  skipPendingRoles?: boolean;
  /** The caller has been checked for this right. */
  skipHumanTestGate?: boolean;
  /** Who asks for it; absent where nobody does. A bot client does not close past a question for a person. */
  caller?: "person" | "bot";
  /** Of a move out of live: the closing is undone, so that the ticket doesn't count as reopened. */
  undone?: boolean;
  /** Their commit went live just now: those without the stamp of a deploy get it, and don't count as reopened. */
  deployed?: boolean;
  /** Answers the same and changes nothing. */
  dryRun?: boolean;
}

/** The truth about one ticket; with `refusal` it stands as it stood. */
export interface TransitionResult {
  id: string;
  ticket_ref: string;
  stage: Stage;
  status: Status;
  changed: boolean;
  /** roles_incomplete, human_tests_pending or question_unanswered, with what stands in the way. */
  refusal?: AppError;
}

interface Facts {
  id: string;
  ticket_ref: string;
  project_id: string;
  account_id: string;
  stage: Stage;
  status: Status;
  unfinished_roles: string[];
  unapproved_cases: { id: string; title: string }[];
  pending_questions: number;
  /** Those that a person is to answer and that somebody asked. */
  unanswered: { id: string; prompt: string }[];
}

/**
 * The one way in which a ticket changes stage and status, for every door. Each ticket is decided by itself behind its
 * lock; the number of statements doesn't depend on how many there are. Call it inside `transact`.
 * Ids that don't exist, or not in `projectId`, are left out of the answer.
 */
export async function transitionTickets(
  ctx: Context,
  projectId: string | null,
  ticketIds: readonly string[],
  request: TransitionRequest,
): Promise<TransitionResult[]> {
  const tickets = await lockFacts(ctx, projectId, ticketIds);
  const results = tickets.map((ticket) => decide(ticket, request));
  const changed = tickets.filter((_, index) => results[index]!.changed);
  // Sent together, so that however much there is to write down costs one round trip.
  if (!request.dryRun && changed.length > 0) {
    await Promise.all([write(ctx, changed, request), recordBypasses(ctx, changed, request)]);
  }
  return results;
}

/**
 * All of them, or none.
 * @throws {AppError} roles_incomplete, human_tests_pending
 */
export async function moveTickets(
  ctx: ProjectContext,
  ticketIds: readonly string[],
  request: TransitionRequest,
): Promise<void> {
  const caller = callerOf(ctx);
  const results = await transitionTickets(ctx, ctx.project.id, ticketIds, { caller, ...request });
  for (const { refusal } of results) if (refusal) throw refusal;
}

/** For whom a caller counts. */
export function callerOf({ actor }: ProjectContext): "person" | "bot" {
  return isBot(actor) ? "bot" : "person";
}

/** Role `r` of a ticket stands in the way of its closing. */
export function isUnfinished(db: Db) {
  return db`r.status in ('pending', 'in_progress')`;
}

/** Locks in id order, so that two calls never wait for each other; reads only then, so that it reads what is true now. */
async function lockFacts(
  ctx: Context,
  projectId: string | null,
  ticketIds: readonly string[],
): Promise<Facts[]> {
  const { db } = ctx;
  const ids = [...ticketIds];
  const inProject = projectId === null ? db`` : db`and t.project_id = ${projectId}::uuid`;
  const [, facts] = await inOrder(
    db`select from tickets t where t.id = any (${ids}::uuid[]) ${inProject} order by t.id for update`,
    db<Facts[]>`
      select t.id, p.key || '-' || t.number as ticket_ref, t.project_id, p.account_id, t.stage, t.status,
        coalesce(r.roles, '{}') as unfinished_roles, coalesce(c.cases, '[]') as unapproved_cases,
        t.pending_questions, case when t.human_questions > 0 then ${
      unanswered(db)
    } else '[]' end as unanswered
      from tickets t join projects p on p.id = t.project_id
      left join (
        select ticket_id, array_agg(role order by role) as roles from ticket_roles r
        where ticket_id = any (${ids}::uuid[]) and ${isUnfinished(db)} group by ticket_id
      ) r on r.ticket_id = t.id
      left join (
        select ticket_id, jsonb_agg(jsonb_build_object('id', id, 'title', title) order by id) as cases from test_cases
        where ticket_id = any (${ids}::uuid[]) and status <> 'approved' group by ticket_id
      ) c on c.ticket_id = t.id
      where t.id = any (${ids}::uuid[]) ${inProject}
      order by t.id`,
  );
  return facts;
}

function unanswered(db: Db) {
  return db`coalesce((select jsonb_agg(jsonb_build_object('id', q.id, 'prompt', left(q.prompt, 200)) order by q.id) from questions q
    where q.ticket_id = t.id and q.status = 'pending' and q.resolver = 'human_only' and not q.made_with_ticket), '[]')`;
}

function decide(
  ticket: Facts,
  { to, skipPendingRoles, skipHumanTestGate, caller, resolution }: TransitionRequest,
): TransitionResult {
  const {
    id,
    ticket_ref,
    stage,
    status,
    unfinished_roles: roles,
    unapproved_cases: cases,
    unanswered: questions,
  } = ticket;
  const stays = { id, ticket_ref, stage, status, changed: false };
  if (stage === to) return stays;
  const refused = `Cannot close ticket ${ticket_ref}:`;
  if (to === "live" && roles.length > 0 && !skipPendingRoles) {
    const which = `${counted(roles.length, "role is", "roles are")} unfinished (${roles.join(", ")})`;
    return {
      ...stays,
      refusal: new AppError("roles_incomplete", `${refused} ${which}`, { details: { roles } }),
    };
  }
  if (to === "live" && cases.length > 0 && !skipHumanTestGate) {
    const which = `${counted(cases.length, "human test case is", "human test cases are")} not approved`;
    return {
      ...stays,
      refusal: new AppError("human_tests_pending", `${refused} ${which}`, { details: { cases } }),
    };
  }
  const completes = to === "live" && (resolution?.type ?? "completed") === "completed";
  if (completes && caller === "bot" && questions.length > 0) {
    const which = `${
      counted(questions.length, "question for a person is", "questions for a person are")
    } unanswered`;
    const way = "Wait for the answer, withdraw the question, or close with another resolution_type";
    return {
      ...stays,
      refusal: new AppError("question_unanswered", `${refused} ${which}. ${way}`, { details: { questions } }),
    };
  }
  return { ...stays, stage: to, status: to === "live" ? "closed" : "open", changed: true };
}

async function write(
  ctx: Context,
  tickets: Facts[],
  { to, resolution, undone, deployed, caller }: TransitionRequest,
): Promise<void> {
  const { db } = ctx;
  const live = to === "live";
  const ids = tickets.map(({ id }) => id);
  const reopens = tickets.some(({ status }) => status === "closed");
  const skips = live && tickets.some(({ unfinished_roles }) => unfinished_roles.length > 0);
  const asked = live ? tickets.filter(({ pending_questions }) => pending_questions > 0) : [];
  const { type = "completed", note = null } = resolution ?? {};
  // The right sides are the ticket as it stood.
  await Promise.all([
    db`
      update tickets set stage = ${to}, status = ${live ? "closed" : "open"}, ${newVersion(db, "tickets")},
        closed_at = ${live ? db`clock_timestamp()` : null}, resolution_type = ${live ? type : null},
        resolution_note = ${live ? note : null}
        ${live || undone ? db`` : db`, reopened = reopened or status = 'closed'`}
        ${deployed ? db`, deployed_at = coalesce(deployed_at, clock_timestamp()), reopened = false` : db``}
      where id = any (${ids}::uuid[])`,
    skips && db`
      update ticket_roles r set status = 'skipped'
      where ticket_id = any (${ids}::uuid[]) and ${isUnfinished(db)}`,
    asked.length > 0 &&
    endQuestions(ctx, asked.map(({ id }) => id), { note, byPerson: caller === "person" }),
    reopens && db`delete from ticket_duplicates where ticket_id = any (${ids}::uuid[])`,
    (live || reopens) && db`
      update ticket_embeddings set open = ${!live} where ticket_id = any (${ids}::uuid[]) and open = ${live}`,
  ]);
}

/** A gate that was stepped over is written down with the cases that stood open. */
async function recordBypasses(ctx: Context, closed: Facts[], request: TransitionRequest): Promise<void> {
  if (request.to !== "live" || !request.skipHumanTestGate) return;
  const bypassed = closed.filter(({ unapproved_cases }) => unapproved_cases.length > 0);
  const [first] = bypassed;
  if (!first) return;
  await Promise.all([
    recordEvents(
      ctx,
      bypassed.map(({ project_id, id, unapproved_cases }) => ({
        project_id,
        ticket_id: id,
        action: "human_test_gate_skipped",
        details: { cases: unapproved_cases },
      })),
    ),
    recordAudit(ctx, {
      account_id: first.account_id,
      action: "ticket.human_test_gate_skipped",
      target_type: "project",
      target_id: first.project_id,
      details: {
        tickets: bypassed.map(({ id, ticket_ref, unapproved_cases }) => ({
          id,
          ticket_ref,
          cases: unapproved_cases,
        })),
      },
    }),
  ]);
}
