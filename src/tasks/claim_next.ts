import type { Fragment } from "../../db/open.ts";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { literal, ofProject } from "../core/planner.ts";
import { transact } from "../core/transact.ts";
import { requireTicket } from "../tickets/get.ts";
import { claimable } from "./_claims.ts";
import { insertTask } from "./_insert.ts";
import { whyNone } from "./_none.ts";
import { checkTaken, type ClaimedTicket, takeTask } from "./_take.ts";
import { isReadyWithoutTasks } from "./_without_tasks.ts";
import type { ClaimedNext, ClaimNext, Task } from "./schema.ts";

/**
 * In each round that ends without a claim, another caller has got what this caller waited for. So
 * the rounds end unless very many callers claim very many tasks.
 */
const MAX_ROUNDS = 200;

/** A task in the order of claims, or a ticket without tasks. */
interface ClaimCandidate {
  id: string;
  is_ticket: boolean;
}

/**
 * Gives the caller the oldest ready task that nobody locks, in a ticket or in the whole project. A
 * ready ticket without tasks counts as one, and its claim makes the task. If everything that is
 * ready is locked, the call waits for the oldest of it. It answers "none" only when nothing is ready.
 * @throws {AppError} unavailable if others were quicker again and again
 */
export async function claimNext(ctx: ProjectContext, input: ClaimNext): Promise<ClaimedNext> {
  if (input.ticket_id !== undefined) await requireTicket(ctx, input.ticket_id);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const claimed = await attempt(ctx, (ctx) => takeUnlocked(ctx, input));
    if (claimed) return await answer(ctx, claimed);
    const next = await oldestReady(ctx, input);
    if (!next) return { claimed: null, none: await whyNone(ctx, input) };
    const waited = await attempt(ctx, (ctx) => takeCandidate(ctx, input, next));
    if (waited) return await answer(ctx, waited);
  }
  throw new AppError("unavailable", "Many agents claim tasks at this moment. Call again");
}

async function answer({ db, project }: ProjectContext, task: Task): Promise<ClaimedNext> {
  const [ticket] = await db<[{ ref: string }]>`
    select ${project.key} || '-' || number as ref from tickets where id = ${task.handoff_request_id}::uuid`;
  return { claimed: { ...task, ticket_ref: ticket.ref, ticket_status: "open" }, none: null };
}

/** Runs a claim that may come to nothing because the task changed at the same moment. */
async function attempt(
  ctx: ProjectContext,
  claim: (ctx: ProjectContext) => Promise<Task | undefined>,
): Promise<Task | undefined> {
  try {
    return await transact(ctx, async (ctx) => {
      const task = await claim(ctx);
      if (!task) return undefined;
      const [ticket] = await ctx.db<ClaimedTicket[]>`
        select status, open_blockers from tickets where id = ${task.handoff_request_id}::uuid`;
      await checkTaken(ctx, task, ticket);
      return task;
    });
  } catch (error) {
    if (
      error instanceof AppError &&
      ["conflict", "dependencies_unfinished", "ticket_blocked"].includes(error.code)
    ) {
      return undefined;
    }
    throw error;
  }
}

async function takeUnlocked(ctx: ProjectContext, input: ClaimNext): Promise<Task | undefined> {
  const { db } = ctx;
  const firstTicket = db`coalesce((${
    readyTickets(ctx, input)
  } limit 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;
  // Ids grow with time, so a task and a ticket without tasks have one order.
  const older = input.ticket_id === undefined ? db`and t.id < ${firstTicket}` : db``;
  return await takeTask(ctx, oldestUnlocked(ctx, input, older), input.session_id) ??
    await takeUnlockedTicket(ctx, input) ??
    await takeTask(ctx, oldestUnlocked(ctx, input, db``), input.session_id);
}

function oldestUnlocked(ctx: ProjectContext, input: ClaimNext, older: Fragment): Fragment {
  return ctx.db`t.id = (${readyTasks(ctx, input, older)} limit 1 for update skip locked)`;
}

async function takeUnlockedTicket(ctx: ProjectContext, input: ClaimNext): Promise<Task | undefined> {
  const [ticket] = await ctx.db<{ id: string }[]>`${readyTickets(ctx, input)} limit 1 for update skip locked`;
  return ticket && await startTicket(ctx, input, ticket.id);
}

/** Claims what was found, after the transaction that locks it. */
async function takeCandidate(
  ctx: ProjectContext,
  input: ClaimNext,
  { id, is_ticket }: ClaimCandidate,
): Promise<Task | undefined> {
  const { db } = ctx;
  if (!is_ticket) return await takeTask(ctx, db`t.id = ${id}::uuid`, input.session_id);
  const [ticket] = await db<{ id: string }[]>`
    select k.id from tickets k where k.id = ${id}::uuid and ${
    isReadyWithoutTasks(db, input.role)
  } for update`;
  return ticket && await startTicket(ctx, input, ticket.id);
}

/** Makes the task of a locked ticket without tasks, and claims it. */
async function startTicket(
  ctx: ProjectContext,
  input: ClaimNext,
  ticketId: string,
): Promise<Task | undefined> {
  const { db, project } = ctx;
  // The lock may have waited, so the ticket is read again behind it.
  const [ticket] = await db<{ title: string; roles: ClaimNext["role"][] }[]>`
    select k.title, array(select r.role from ticket_roles r
      where r.ticket_id = k.id and r.status in ('pending', 'in_progress') order by r.role) as roles
    from tickets k where k.id = ${ticketId}::uuid and ${isReadyWithoutTasks(db, input.role)}
      and not exists (select from tasks t where t.ticket_id = k.id)`;
  if (!ticket) return undefined;
  const role = input.role ?? ticket.roles[0] ??
    (project.disabled_roles.includes("other") ? "backend" : "other");
  const { id } = await insertTask(ctx, { ticketId, title: ticket.title, role }, 1);
  return await takeTask(ctx, db`t.id = ${id}::uuid`, input.session_id);
}

async function oldestReady(ctx: ProjectContext, input: ClaimNext): Promise<ClaimCandidate | undefined> {
  const { db } = ctx;
  const [candidate] = await db<ClaimCandidate[]>`
    select id, is_ticket from (
      select id, false as is_ticket from (${readyTasks(ctx, input, db``)} limit 1) t
      union all select id, true from (${readyTickets(ctx, input)} limit 1) k
    ) p order by id limit 1`;
  return candidate;
}

/** The tasks that the caller may claim, in the order of claims. */
function readyTasks(ctx: ProjectContext, { ticket_id, role }: ClaimNext, more: Fragment): Fragment {
  const { db, project } = ctx;
  const order = ticket_id === undefined ? db`t.project_id, t.id` : db`t.sequence`;
  return db`select t.id from tasks t where ${ofProject(db, "t.project_id", project.id)}
    ${ticket_id === undefined ? db`` : db`and t.ticket_id = ${ticket_id}::uuid`}
    ${role === undefined ? db`` : db`and t.role = ${literal(db, role)}`} ${more} and ${
    claimable(ctx)
  } order by ${order}`;
}

function readyTickets({ db, project }: ProjectContext, { ticket_id, role }: ClaimNext): Fragment {
  return db`select k.id from tickets k where ${ofProject(db, "k.project_id", project.id)}
    ${ticket_id === undefined ? db`` : db`and k.id = ${ticket_id}::uuid`} and ${
    isReadyWithoutTasks(db, role)
  } order by k.project_id, k.id`;
}
