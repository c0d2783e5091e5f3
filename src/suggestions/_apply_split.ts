import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { counted } from "../core/counted.ts";
import { newVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { lockTasks } from "../tasks/lock.ts";
import { getTicket } from "../tickets/get.ts";
import { lockTicket, refuseWhenClosed } from "../tickets/lock.ts";
import type { CreatedTicket, Ticket } from "../tickets/schema.ts";
import { storeTicket } from "../tickets/store.ts";
import type { StoredSuggestion } from "./_rows.ts";
import {
  type BeforeSplit,
  digestTasks,
  insertKept,
  keepTasks,
  partsOf,
  type SplitPart,
  type TaskFacts,
  writeParts,
} from "./_split_tasks.ts";

/** A part with the ticket that was created for it, and its tasks. */
interface SplitOff extends SplitPart {
  ticket_id: string;
  ticket_ref: string;
  tasks: TaskFacts[];
}

/** Moves each group of tasks to a new ticket. The first and largest group stays. */
export async function applySplit(ctx: ProjectContext, suggestion: StoredSuggestion): Promise<BeforeSplit> {
  const ticketId = suggestion.ticket_id;
  refuseWhenClosed(await lockTicket(ctx, ticketId), "split");
  await lockTasks(ctx, [ticketId]);
  const parent = await getTicket(ctx, { ticketId });
  const current = await withCurrentRoles(ctx);
  const parts: SplitOff[] = [];
  for (const part of partsOf(suggestion)) parts.push(await splitOff(current, parent, part));
  await keepTasks(ctx, suggestion, parts.flatMap(({ task_ids }) => task_ids));
  for (const part of parts) await moveTasks(ctx, suggestion, part);
  const evidence = parts.map(({ tasks: _, ...part }) => part);
  await inOrder(moveRemainingUp(ctx, ticketId), writeParts(ctx, suggestion, evidence));
  const part_ids = parts.map(({ ticket_id }) => ticket_id);
  return { part_ids, digest: await digestTasks(ctx, [ticketId, ...part_ids]) };
}

/**
 * Reads the roles again, because one may have been switched off or on since the caller was
 * authorized. None can change until the transaction ends.
 */
async function withCurrentRoles(ctx: ProjectContext): Promise<ProjectContext> {
  const [account] = await ctx.db<[{ disabled_roles: string[] }]>`
    select disabled_roles from accounts where id = ${ctx.project.account_id}::uuid for share`;
  return { ...ctx, project: { ...ctx.project, ...account } };
}

/** Moves the tasks that stay up, and removes their dependencies on the tasks that went. */
async function moveRemainingUp({ db }: ProjectContext, ticketId: string): Promise<void> {
  await db`
    update tasks k set sequence = n.place, depends_on_task_ids = n.depends_on, ${newVersion(db, "k")}
    from (
      select t.id, row_number() over (order by t.sequence) as place, array(
        select d.id from unnest(t.depends_on_task_ids) with ordinality as d (id, place)
        where exists (select from tasks o where o.id = d.id and o.ticket_id = t.ticket_id) order by d.place) as depends_on
      from tasks t where t.ticket_id = ${ticketId}::uuid
    ) n
    where k.id = n.id and (k.sequence, k.depends_on_task_ids) is distinct from (n.place, n.depends_on)`;
}

/** Creates the ticket of a part. Its tasks are locked, so they stay pending. */
async function splitOff(ctx: ProjectContext, parent: Ticket, part: SplitPart): Promise<SplitOff> {
  const tasks = await ctx.db<TaskFacts[]>`
    select id, role, sequence, depends_on_task_ids, version from tasks
    where ticket_id = ${parent.id}::uuid and id = any (${part.task_ids}::uuid[]) and status = 'pending' order by sequence`;
  if (tasks.length !== part.task_ids.length) {
    throw new AppError(
      "conflict",
      `Cannot split ticket ${parent.ticket_ref}: its tasks have changed since this was suggested`,
    );
  }
  const { id, ticket_ref } = await makeTicket(ctx, parent, part.title, tasks);
  return { ...part, ticket_id: id, ticket_ref, tasks };
}

/** Tasks are deleted here and created there, so that the history of both tickets shows the move. */
async function moveTasks(
  ctx: ProjectContext,
  suggestion: StoredSuggestion,
  { ticket_id, task_ids, tasks }: SplitOff,
): Promise<void> {
  await ctx.db`
    delete from tasks where ticket_id = ${suggestion.ticket_id}::uuid and id = any (${task_ids}::uuid[])`;
  await insertKept(
    ctx,
    suggestion,
    tasks.map(({ id, depends_on_task_ids, version }, index) => ({
      id,
      ticket_id,
      number: null,
      sequence: index + 1,
      depends_on_task_ids: depends_on_task_ids.filter((other) => task_ids.includes(other)),
      version: version + 1,
    })),
  );
}

async function makeTicket(
  ctx: ProjectContext,
  parent: Ticket,
  title: string,
  tasks: readonly TaskFacts[],
): Promise<CreatedTicket["ticket"]> {
  const roles = [...new Set(tasks.map(({ role }) => role))].filter((role) =>
    !ctx.project.disabled_roles.includes(role)
  );
  if (roles.length === 0 && isBot(ctx.actor)) {
    throw new AppError(
      "conflict",
      `Cannot split ticket ${parent.ticket_ref}: a bot client must give the new ticket a role, and those of its tasks are disabled`,
    );
  }
  // A job makes the embedding, because nothing slow may happen while the parent is locked.
  const { ticket } = await storeTicket(ctx, {
    id: ctx.project.id,
    title: cut(`Split from ${parent.ticket_ref}: ${title}`, 140),
    // The tasks aren't named here, because keys that may not read tasks can read this text.
    description: `Split from ${parent.ticket_ref} “${parent.title}”: ${
      counted(tasks.length, "task")
    } moved here.`,
    request_type: parent.request_type,
    ask: false,
    priority: parent.priority,
    blocking: parent.blocking,
    roles,
  });
  return ticket;
}

function cut(text: string, length: number): string {
  const points = [...text];
  return points.length <= length ? text : `${points.slice(0, length - 1).join("")}…`;
}
