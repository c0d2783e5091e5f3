import { batchedRead } from "../core/batched_read.ts";
import type { ProjectContext } from "../core/context.ts";
import { bytesOf, longestTexts, tellLeftOut, withoutTexts } from "../core/long_texts.ts";
import { requireTicket } from "../tickets/get.ts";
import type { TicketPath } from "../tickets/schema.ts";
import { TASK_TEXTS, taskColumns } from "./_rows.ts";
import type { ListedTask } from "./schema.ts";

/**
 * Returns all tasks of a ticket in their order. The longest texts are left out if the list would be
 * too large.
 */
export async function listTasks(ctx: ProjectContext, input: TicketPath): Promise<{ tasks: ListedTask[] }> {
  const tasks = await shortLists.get(ctx, input.ticketId);
  if (tasks) return { tasks };
  // A ticket with tasks exists, so nearly all calls need one statement.
  const [, shortened] = await Promise.all([requireTicket(ctx, input.ticketId), longList(ctx, input)]);
  return { tasks: shortened };
}

/**
 * Loads all tasks of each ticket, or none if their texts exceed the ticket's share of the bytes
 * that may be read at once.
 */
const shortLists = batchedRead({
  name: "tasks",
  scope: ({ project, pageBytes }: ProjectContext) => ({ projectId: project.id, pageBytes }),
  async load(db, { projectId, pageBytes }, ticketIds) {
    const tasks = await db<ListedTask[]>`
      select ${taskColumns(db)} from (
        select r.*, sum(${bytesOf(db, TASK_TEXTS)}) over (partition by r.ticket_id) as bytes from tasks r
        where r.ticket_id = any (${ticketIds}::uuid[]) and r.project_id = ${projectId}::uuid) t
      where t.bytes <= ${Math.floor(pageBytes / ticketIds.length)}
      order by t.ticket_id, t.sequence`;
    return Map.groupBy(tasks, ({ handoff_request_id }) => handoff_request_id);
  },
});

async function longList(ctx: ProjectContext, { ticketId }: TicketPath): Promise<ListedTask[]> {
  const { db, project } = ctx;
  const where = db`r.ticket_id = ${ticketId}::uuid and r.project_id = ${project.id}::uuid`;
  const list = { table: "tasks", where, texts: TASK_TEXTS } as const;
  const left = await longestTexts(ctx, list);
  const tasks = await db<ListedTask[]>`
    select ${taskColumns(db)} from ${withoutTexts(db, list, left)} t order by t.sequence`;
  return tellLeftOut(tasks, left);
}
