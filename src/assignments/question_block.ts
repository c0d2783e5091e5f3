import type { Context } from "../core/context.ts";
import { newVersion } from "../core/if_match.ts";
import { inOrder } from "../core/in_order.ts";
import { renewedLease } from "./lease.ts";
import { lockAssignees, mayHold } from "./may_hold.ts";
import { NEVER_STARTED } from "./released_columns.ts";

/** The status of a task before a question blocked it. */
export type TaskBefore = "pending" | "in_progress";

/** The limit of a blocking reason, in characters. */
const MAX_REASON = 2000;

/**
 * Blocks a task that waits for a question. Its claim stays, but its lease does not expire while a
 * person thinks. A task that somebody blocked for another reason keeps that reason. Call it while
 * you hold the locks of the ticket and of the task, which is unfinished.
 * @returns the status that the task had; null if the question doesn't block it
 */
export async function blockTask(
  { db }: Context,
  { id, status }: { id: string; status: string },
  prompt: string,
): Promise<TaskBefore | null> {
  if (status === "blocked") {
    const [asked] = await db<{ was: TaskBefore }[]>`
      select task_was as was from questions
      where task_id = ${id}::uuid and status = 'pending' and task_was is not null order by id desc limit 1`;
    return asked?.was ?? null;
  }
  const reason = [...prompt].slice(0, MAX_REASON).join("");
  await Promise.all([
    db`
      update tasks t set status = 'blocked', blocking_reason = ${reason}, lease_expires_at = null, ${
      newVersion(db, "t")
    }
      where t.id = ${id}::uuid`,
    // A person may have unblocked the task. Then its other pending questions block it again.
    db`update questions set task_was = ${status} where task_id = ${id}::uuid and status = 'pending'`,
  ]);
  return status as TaskBefore;
}

/**
 * Lets the tasks go on that waited for questions which have just ended. A task goes back to work
 * under its claim, with a new lease, or is pending again. It is free if its assignee may no longer
 * hold it. Another pending question keeps it blocked. Call it in the transaction that ended the
 * questions, while you hold the locks of their tickets.
 */
export async function releaseTasks(ctx: Context, questionIds: readonly string[]): Promise<void> {
  const { db } = ctx;
  const ended = db`questions e where e.id = any (${[...questionIds]}::uuid[]) and e.task_was is not null`;
  const waiting = db`t.id in (select e.task_id from ${ended}) and t.status = 'blocked'`;
  const columns = Object.keys(NEVER_STARTED).map((name) =>
    db`, ${db(name)} = case when not k.is_lost then t.${db(name)} end`
  );
  await inOrder(
    db`select from tasks t where ${waiting} order by t.id for update`,
    lockAssignees(ctx, db`select t.assignee_user_id from tasks t where ${waiting}`),
    db`
      update tasks t set ${newVersion(db, "t")}, status = k.next, blocking_reason = k.reason,
        lease_expires_at = case when k.next = 'in_progress' then ${renewedLease(db)} end ${columns}
      from (
        select id, reason, reason is null and not may_hold as is_lost, case when reason is not null then 'blocked'
          when was = 'in_progress' and may_hold then 'in_progress' else 'pending' end as next
        from (
          select t.id, ${
      mayHold(db)
    } as may_hold, (select max(e.task_was) from ${ended} and e.task_id = t.id) as was, (
            select left(q.prompt, ${MAX_REASON}::integer) from questions q
            where q.task_id = t.id and q.status = 'pending' and q.task_was is not null order by q.id desc limit 1) as reason
          from tasks t where ${waiting}
        ) w
      ) k
      where t.id = k.id and (t.status, t.blocking_reason) is distinct from (k.next, k.reason)`,
  );
}
