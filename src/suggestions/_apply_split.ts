import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import type { Role } from "../core/schema.ts";
import { lockTasks } from "../tasks/lock.ts";
import { createTicket } from "../tickets/create.ts";
import { getTicket } from "../tickets/get.ts";
import { lockTicket, lockTickets, refuseWhenClosed } from "../tickets/lock.ts";
import type { Ticket } from "../tickets/schema.ts";
import { transitionTickets } from "../tickets/transition.ts";
import { changedSince } from "./_apply_closing.ts";
import type { StoredSuggestion } from "./_rows.ts";

/** The tasks as they were, the tickets that were made, and what the tasks looked like then. */
export interface BeforeSplit extends Record<string, unknown> {
  tasks: Record<string, unknown>[];
  part_ids: string[];
  digest: string;
}

interface Part {
  title: string;
  task_ids: string[];
}

/** What a part became. */
interface PartTicket {
  ticket_id: string;
  ticket_ref: string;
}

/** Each group of tasks moves to a new ticket of its own; the first and largest group stays. */
export async function applySplit(ctx: ProjectContext, suggestion: StoredSuggestion): Promise<BeforeSplit> {
  const ticketId = suggestion.ticket_id;
  refuseWhenClosed(await lockTicket(ctx, ticketId), "split");
  await lockTasks(ctx, [ticketId]);
  const parent = await getTicket(ctx, { ticketId });
  const tasks = await readTasks(ctx, ticketId);
  const parts: (Part & PartTicket)[] = [];
  for (const part of partsOf(suggestion)) parts.push({ ...part, ...await splitOff(ctx, parent, part) });
  const partIds = parts.map(({ ticket_id }) => ticket_id);
  await Promise.all([closeRanks(ctx, ticketId), writeParts(ctx, suggestion, parts)]);
  return { tasks, part_ids: partIds, digest: await digestTasks(ctx, [ticketId, ...partIds]) };
}

/** The parts as they were suggested. */
function partsOf({ evidence }: StoredSuggestion): Part[] {
  return (evidence.parts as Part[]).map(({ title, task_ids }) => ({ title, task_ids }));
}

async function writeParts({ db }: ProjectContext, { id }: StoredSuggestion, parts: Part[]): Promise<void> {
  await db`
    update suggestions set evidence = jsonb_set(evidence, '{parts}', ${JSON.stringify(parts)}::text::jsonb)
    where id = ${id}::uuid`;
}

/** What stays moves up, and none of it waits for a task that went. */
async function closeRanks({ db }: ProjectContext, ticketId: string): Promise<void> {
  await db`
    update tasks k set sequence = n.place, depends_on_task_ids = n.depends_on, version = k.version + 1, updated_at = now()
    from (
      select t.id, row_number() over (order by t.sequence) as place, array(
        select d.id from unnest(t.depends_on_task_ids) with ordinality as d (id, place)
        where exists (select from tasks o where o.id = d.id and o.ticket_id = t.ticket_id) order by d.place) as depends_on
      from tasks t where t.ticket_id = ${ticketId}::uuid
    ) n
    where k.id = n.id and (k.sequence, k.depends_on_task_ids) is distinct from (n.place, n.depends_on)`;
}

async function splitOff(ctx: ProjectContext, parent: Ticket, part: Part): Promise<PartTicket> {
  const { db, project } = ctx;
  // Deleted here and created there, so that the history of both tickets tells of it.
  const removed = await db<
    { task: { title: string; role: Role; sequence: number } & Record<string, unknown> }[]
  >`
    delete from tasks k where ticket_id = ${parent.id}::uuid and id = any (${part.task_ids}::uuid[]) and status = 'pending'
    returning to_jsonb(k) as task`;
  if (removed.length !== part.task_ids.length) {
    throw new AppError(
      "conflict",
      `Cannot split ${parent.ticket_ref}: its tasks have changed since this was suggested`,
    );
  }
  const roles = [...new Set(removed.map(({ task }) => task.role))].filter((role) =>
    !project.disabled_roles.includes(role)
  );
  if (roles.length === 0 && isBot(ctx.actor)) {
    throw new AppError(
      "conflict",
      `Cannot split ${parent.ticket_ref}: a bot client must give the new ticket a role, and those of its tasks are disabled`,
    );
  }
  const lines = removed.map(({ task }) => task).toSorted((a, b) => a.sequence - b.sequence).map(({ title }) =>
    `- ${title}`
  );
  // The embedding is left to its job: nothing slow happens while the parent is locked.
  const { ticket } = await createTicket({
    ...ctx,
    // The request's own key would make one ticket of all parts.
    idempotencyKey: null,
    embedder: { ...ctx.embedder, embed: () => Promise.resolve(null) },
  }, {
    id: project.id,
    title: cut(`Split from ${parent.ticket_ref}: ${part.title}`, 140),
    description: cut(
      `Split from ${parent.ticket_ref} “${parent.title}”, with these tasks:\n\n${lines.join("\n")}`,
      5000,
    ),
    request_type: parent.request_type,
    priority: parent.priority,
    blocking: parent.blocking,
    roles,
  });
  await db`
    insert into tasks
    select (jsonb_populate_record(null::tasks, k.task || jsonb_build_object('ticket_id', ${ticket.id}::uuid, 'sequence', k.place,
      'depends_on_task_ids', to_jsonb(array(select d from jsonb_array_elements_text(k.task -> 'depends_on_task_ids') d
        where d = any (${part.task_ids}::text[])))))).*
    from (select task, row_number() over (order by (task ->> 'sequence')::integer) as place
      from jsonb_array_elements(${JSON.stringify(removed.map(({ task }) => task))}::text::jsonb) task) k`;
  return { ticket_id: ticket.id, ticket_ref: ticket.ticket_ref };
}

/**
 * What holds a closing back holds this back too.
 * @throws {AppError} conflict when the ticket was closed, or any of the tasks was changed since
 */
export async function undoSplit(ctx: ProjectContext, suggestion: StoredSuggestion): Promise<void> {
  const { ticket_id: ticketId, before_accept } = suggestion;
  const before = before_accept as BeforeSplit;
  const ids = [ticketId, ...before.part_ids];
  const parent = (await lockTickets(ctx, ids)).find(({ id }) => id === ticketId)!;
  refuseWhenClosed(parent, "undo the split of");
  await lockTasks(ctx, ids);
  if (await digestTasks(ctx, ids) !== before.digest) throw changedSince(parent.ticket_ref);
  await bringBack(ctx, before);
  await Promise.all([restoreOrder(ctx, ticketId, before), writeParts(ctx, suggestion, partsOf(suggestion))]);
  const results = await transitionTickets(ctx, ctx.project.id, before.part_ids, {
    to: "live",
    resolution: { type: "cancelled", note: "The split was undone" },
    skipPendingRoles: true,
  });
  const refused = results.find(({ code }) => code !== undefined);
  if (refused) throw new AppError(refused.code!, refused.error, { details: refused.details });
}

/** As they were, but as new versions: what somebody read of the split ones doesn't pass for what is there now. */
async function bringBack({ db }: ProjectContext, { tasks, part_ids }: BeforeSplit): Promise<void> {
  const removed = await db<{ id: string; version: number }[]>`
    delete from tasks where ticket_id = any (${part_ids}::uuid[]) returning id, version`;
  await db`
    insert into tasks
    select (jsonb_populate_record(null::tasks, k.task || jsonb_build_object('version', r.version + 1, 'updated_at', now()))).*
    from jsonb_array_elements(${JSON.stringify(tasks)}::text::jsonb) as k (task)
    join jsonb_to_recordset(${JSON.stringify(removed)}::text::jsonb) as r (id uuid, version integer)
      on r.id = (k.task ->> 'id')::uuid`;
}

/** What stayed makes room, and waits again for what went. */
async function restoreOrder({ db }: ProjectContext, ticketId: string, { tasks }: BeforeSplit): Promise<void> {
  await db`
    update tasks k set sequence = b.sequence, depends_on_task_ids = b.depends_on_task_ids, version = k.version + 1,
      updated_at = now()
    from jsonb_populate_recordset(null::tasks, ${JSON.stringify(tasks)}::text::jsonb) b
    where k.id = b.id and k.ticket_id = ${ticketId}::uuid
      and (k.sequence, k.depends_on_task_ids) is distinct from (b.sequence, b.depends_on_task_ids)`;
}

async function readTasks({ db }: ProjectContext, ticketId: string): Promise<Record<string, unknown>[]> {
  const rows = await db<{ task: Record<string, unknown> }[]>`
    select to_jsonb(k) as task from tasks k where k.ticket_id = ${ticketId}::uuid order by k.sequence`;
  return rows.map(({ task }) => task);
}

/** A lease says nothing of the task: heartbeats go on. */
async function digestTasks({ db }: ProjectContext, ticketIds: string[]): Promise<string> {
  const [row] = await db<[{ digest: string }]>`
    select md5(coalesce(jsonb_agg(to_jsonb(k) || '{"lease_expires_at": null}' order by k.id)::text, '')) as digest from tasks k
    where k.ticket_id = any (${ticketIds}::uuid[])`;
  return row.digest;
}

function cut(text: string, length: number): string {
  const points = [...text];
  return points.length <= length ? text : `${points.slice(0, length - 1).join("")}…`;
}
