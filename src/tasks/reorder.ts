import type { ProjectContext } from "../core/context.ts";
import { invalidRequest, type Issue } from "../core/errors.ts";
import { newVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { transact } from "../core/transact.ts";
import { lockTicket } from "../tickets/lock.ts";
import { lockTasks } from "./lock.ts";
import type { ReorderTasks } from "./schema.ts";

/**
 * Puts a ticket's tasks into the given order.
 * @throws {AppError} invalid_request that names missing, foreign and repeated ids
 */
export async function reorderTasks(
  ctx: ProjectContext,
  input: ReorderTasks,
): Promise<{ reordered: boolean }> {
  return await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const [, , tasks] = await inOrder(
      lockTicket(ctx, input.ticketId),
      lockTasks(ctx, [input.ticketId]),
      db<{ id: string }[]>`select id from tasks where ticket_id = ${input.ticketId}::uuid order by sequence`,
    );
    const issues = differences(tasks.map(({ id }) => id), input.task_ids);
    if (issues.length > 0) throw invalidRequest(issues);
    await db`
      update tasks t set sequence = o.place, ${newVersion(db, "t")}
      from unnest(${input.task_ids}::uuid[]) with ordinality as o (id, place)
      where t.id = o.id and t.ticket_id = ${input.ticketId}::uuid and t.sequence <> o.place`;
    return { reordered: true };
  });
}

function differences(tasks: string[], asked: string[]): Issue[] {
  const wrong = asked.flatMap((id, index) => {
    const path = `task_ids.${index}`;
    if (!tasks.includes(id)) return [{ path, message: `${id} is not a task of this ticket` }];
    return asked.indexOf(id) < index ? [{ path, message: `${id} is named twice` }] : [];
  });
  const missing = tasks.filter((id) => !asked.includes(id));
  return missing.length > 0
    ? [...wrong, { path: "task_ids", message: `Lacks ${missing.join(", ")}` }]
    : wrong;
}
