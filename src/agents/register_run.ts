import { v7 as uuid } from "uuid";
import type { Context, ProjectContext } from "../core/context.ts";
import { AppError, invalidRequest } from "../core/errors.ts";
import { nameAuthor } from "../core/history.ts";
import { transact } from "../core/transact.ts";
import { type Ignored, lockIgnored, replayIgnored } from "../inbound/replay.ts";
import { lockTicket } from "../tickets/lock.ts";
import { applyAgentDelivery } from "./apply_delivery.ts";
import { lockAgent, runColumns } from "./_rows.ts";
import type { AgentRun, RegisterRun } from "./schema.ts";

/**
 * Registers the ticket on which an agent works. Events that the agent sent before take effect now.
 * A second registration for the same ticket returns the existing run, with the tasks of both.
 * @throws {AppError} conflict if the agent works on another ticket, or has ended before it got
 * these tasks
 */
export async function registerAgentRun(ctx: ProjectContext, input: RegisterRun): Promise<AgentRun> {
  return await transact(ctx, async (ctx) => {
    await lockRegistration(ctx, input.agent_id);
    await lockIgnored(ctx, early(input.agent_id));
    await lockAgent(ctx, input.agent_id);
    await lockTicket(ctx, input.ticketId);
    await requireTasks(ctx, input);
    const added = await ctx.db`
      insert into agent_runs (id, ticket_id, project_id, agent_id, task_ids, created_by)
      values (${uuid()}::uuid, ${input.ticketId}::uuid, ${ctx.project.id}::uuid, ${input.agent_id},
        ${input.task_ids ?? []}::uuid[], ${ctx.actor.user.id}::uuid)
      on conflict (agent_id) do nothing`;
    await (added.count === 1 ? applyEarlierEvents(ctx, input.agent_id) : addTasks(ctx, input));
    const [run] = await ctx.db<AgentRun[]>`
      select ${runColumns(ctx.db)} from agent_runs r
      where r.agent_id = ${input.agent_id} and r.ticket_id = ${input.ticketId}::uuid`;
    const refused = `Cannot register agent ${input.agent_id}:`;
    if (!run) throw new AppError("conflict", `${refused} it is registered for another ticket`);
    if (input.task_ids?.some((id) => !run.task_ids.includes(id))) {
      throw new AppError("conflict", `${refused} its run has ended`);
    }
    return run;
  });
}

/**
 * Makes simultaneous registrations of one agent wait here, because at this point they have not
 * locked any delivery that the first registration may still need.
 */
async function lockRegistration({ db }: Context, agentId: string): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtextextended('registration ' || ${agentId}, 0))`;
}

async function requireTasks(ctx: ProjectContext, input: RegisterRun): Promise<void> {
  const ids = input.task_ids ?? [];
  const rows = await ctx.db<{ id: string }[]>`
    select id from tasks where ticket_id = ${input.ticketId}::uuid and id = any (${ids}::uuid[])`;
  const known = new Set(rows.map(({ id }) => id));
  const issues = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `task_ids.${index}`, message: `${id} is not a task of this ticket` }]
  );
  if (issues.length > 0) throw invalidRequest(issues);
}

async function addTasks(
  { db }: ProjectContext,
  { agent_id, ticketId, task_ids = [] }: RegisterRun,
): Promise<void> {
  await db`
    update agent_runs set updated_at = now(),
      task_ids = task_ids || array(select id from unnest(${task_ids}::uuid[]) as id where id <> all (task_ids))
    where agent_id = ${agent_id} and ticket_id = ${ticketId}::uuid and event_at is null
      and not ${task_ids}::uuid[] <@ task_ids`;
}

/** Applies earlier events in the sender's name, as if they came now. */
async function applyEarlierEvents(ctx: Context, agentId: string): Promise<void> {
  const sender: Context = { ...ctx, author: { kind: "webhook", id: "cloud_agent" } };
  await nameAuthor(sender, ctx.db);
  await replayIgnored(sender, early(agentId), applyAgentDelivery);
  await nameAuthor(ctx, ctx.db);
}

function early(agentId: string): Ignored {
  return { provider: "cloud_agent", subject: agentId, reason: "unknown_agent" };
}
