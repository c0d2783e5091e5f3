import type { ProjectContext } from "../core/context.ts";
import { counted } from "../core/counted.ts";
import { literal } from "../core/planner.ts";
import { claimable } from "./_claims.ts";
import { isHeld } from "./_rows.ts";
import type { ClaimNext, NoneReady } from "./schema.ts";

/** Tells why no task can be claimed, from what there is at this moment. */
export async function whyNone(ctx: ProjectContext, input: ClaimNext): Promise<NoneReady> {
  const { db, project, actor: { user } } = ctx;
  const { ticket_id, role, session_id } = input;
  const inTicket = ticket_id === undefined ? db`` : db`and t.ticket_id = ${ticket_id}::uuid`;
  const ofRole = role === undefined ? db`true` : db`t.role = ${literal(db, role)}`;
  const [facts] = await db<[Omit<NoneReady, "reason">]>`
    with unfinished as materialized (
      select t.id, t.status, t.lease_expires_at, k.status as ticket_status, k.open_blockers > 0 as in_blocked, ${ofRole} as fits, ${
    claimable(ctx)
  } as ready,
        ${isHeld(ctx, session_id)} as yours, t.assignee_user_id <> ${user.id}::uuid as of_another, (
          select min(left(d.title, 100)) from tasks d where d.id = any (t.depends_on_task_ids)
            and d.ticket_id = t.ticket_id and d.status not in ('done', 'skipped')) as waits_for,
        exists (select from questions q where q.task_id = t.id and q.status = 'pending') as asked
      from tasks t join tickets k on k.id = t.ticket_id
      where t.project_id = ${project.id}::uuid and t.status in ('pending', 'in_progress', 'blocked') ${inTicket}
    ), open as (select * from unfinished where fits and ticket_status = 'open')
    select (count(*) filter (where status = 'blocked' and asked) + (
        select count(*) from tickets t where t.project_id = ${project.id}::uuid and t.status = 'open' and t.tasks_total = 0
          and t.human_questions > 0 ${ticket_id === undefined ? db`` : db`and t.id = ${ticket_id}::uuid`}
      ))::integer as waiting_for_answers,
      (count(*) filter (where status = 'blocked' and not asked))::integer as blocked,
      (count(*) filter (where status = 'in_progress'))::integer as held,
      (count(*) filter (where status = 'in_progress' and yours))::integer as held_by_you,
      min(lease_expires_at) filter (where status = 'in_progress') as held_until,
      (count(*) filter (where status = 'pending' and waits_for is not null))::integer as waiting_for_tasks,
      coalesce((array_agg(distinct waits_for) filter (where status = 'pending' and waits_for is not null))[1:3], '{}') as waited_for,
      (count(*) filter (where status = 'pending' and waits_for is null and of_another))::integer as assigned_to_others,
      (count(*) filter (where status = 'pending' and in_blocked))::integer as in_blocked_tickets,
      (select count(*)::integer from unfinished where fits and ticket_status = 'closed') as in_closed_tickets,
      (select count(*)::integer from unfinished where not fits and ready) as of_other_roles
    from open`;
  return { ...facts, reason: inWords(facts) };
}

function inWords(facts: Omit<NoneReady, "reason">): string {
  const { held_until: until, waited_for: titles, held_by_you: yours } = facts;
  const parts = [
    [facts.waiting_for_answers, "waits for an answer", "wait for answers"],
    [facts.blocked, "is blocked", "are blocked"],
    [
      facts.held,
      `is in progress${yours === 1 ? " by you" : ""}${until ? ` until ${until}` : ""}`,
      `are in progress${yours ? `, ${yours} of them by you` : ""}${
        until ? `, the first until ${until}` : ""
      }`,
    ],
    [
      facts.waiting_for_tasks,
      `waits for "${titles[0]}"`,
      `wait for ${titles.map((title) => `"${title}"`).join(", ")}`,
    ],
    [
      facts.in_blocked_tickets,
      "is of a ticket that waits for another one",
      "are of tickets that wait for others",
    ],
    [facts.assigned_to_others, "is assigned to somebody else", "are assigned to others"],
    [facts.in_closed_tickets, "is of a closed ticket", "are of closed tickets"],
    [facts.of_other_roles, "is ready for another role", "are ready for other roles"],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, one, many]) => counted(count, one, many));
  return told.length > 0
    ? `No task is ready: ${told.join("; ")}`
    : "No task is ready, and none is unfinished";
}
