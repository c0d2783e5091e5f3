import type { Fragment } from "../../db/open.ts";
import { hasScope } from "../core/access.ts";
import { type ActorContext, isBot } from "../core/context.ts";
import { type QueueDefinition, QUEUES } from "../core/queue.ts";
import { askedBy } from "../questions/asker.ts";
import { mayWaitForAnybody } from "../tickets/may_wait.ts";
import type { WaitingItem } from "./schema.ts";

/**
 * The columns are kind, id, title, since, due_at, project_id, ticket_id, tasks. `reach r` are the
 * caller's projects, each with the caller's role.
 */
export function sourcesFor(ctx: ActorContext, kind: WaitingItem["kind"] | undefined): Fragment[] {
  const sources = {
    question: questions,
    approval: approvals,
    task: tasks,
    claim: claims,
    agent_run: runs,
    webhook: webhooks,
    dead_letter: deadLetters,
  };
  return Object.entries(sources)
    .filter(([name]) => kind === undefined || name === kind)
    .flatMap(([, source]) => source(ctx));
}

/** Questions, with the task that each blocks and the tasks that depend on it. */
function questions({ db, actor }: ActorContext): Fragment[] {
  const { user } = actor;
  const bot = isBot(actor);
  return [db`
    select 'question' as kind, q.id::text, left(q.prompt, 300) as title, q.created_at as since, q.due_at, r.id as project_id, q.ticket_id,
      case when q.task_id is null then 0 else 1 + (
        select count(*)::integer from tasks d where d.ticket_id = q.ticket_id and q.task_id = any (d.depends_on_task_ids)) end as tasks
    from reach r join questions q on q.project_id = r.id and q.status = 'pending'
    where r.role <> 'viewer' ${bot ? db`and q.resolver = 'not_creator'` : db``}
      and not (${askedBy(db, actor)})
      and (q.addressee_role is null or q.addressee_role = 'member' or r.role = 'admin')
      and (q.addressee_user_id is null or q.addressee_user_id = ${user.id}::uuid
        or (${!bot} and r.role = 'admin' and coalesce(role_of_user(q.addressee_user_id, q.project_id), 'viewer') = 'viewer'))`];
}

function approvals({ db, actor }: ActorContext): Fragment[] {
  if (isBot(actor)) return [];
  return [db`
    select 'approval', c.id::text, c.title, greatest(c.updated_at, k.updated_at), null::timestamptz, r.id, c.ticket_id, 0
    from reach r join tickets k on k.project_id = r.id and k.stage = 'validation' and ${
    mayWaitForAnybody(db, "k")
  }
    join test_cases c on c.ticket_id = k.id and c.status = 'pending'
    where r.role <> 'viewer'`];
}

/** The ticket of each task is looked up, because a join would read all tickets. */
function tasks({ db, actor }: ActorContext): Fragment[] {
  if (!hasScope(actor, "tasks:read")) return [];
  return [db`
    select 'task', a.id::text, a.title, a.updated_at, null::timestamptz, r.id, a.ticket_id, (
      select count(*)::integer from tasks d where d.ticket_id = a.ticket_id and a.id = any (d.depends_on_task_ids))
    from reach r join tasks a on a.project_id = r.id and a.assignee_user_id = ${actor.user.id}::uuid and a.status = 'pending'
    where r.role <> 'viewer' and (select k.status = 'open' and k.open_blockers = 0 from tickets k where k.id = a.ticket_id) and not exists (
      select from tasks d where d.id = any (a.depends_on_task_ids) and d.status not in ('done', 'skipped'))`];
}

/** Tasks that the caller has held for a day without a sign. A person's claim has no lease. */
function claims({ db, actor }: ActorContext): Fragment[] {
  if (isBot(actor)) return [];
  return [db`
    select 'claim', a.id::text, a.title, a.updated_at, null::timestamptz, r.id, a.ticket_id, (
      select count(*)::integer from tasks d where d.ticket_id = a.ticket_id and a.id = any (d.depends_on_task_ids))
    from reach r join tasks a on a.project_id = r.id and a.assignee_user_id = ${actor.user.id}::uuid
      and a.status = 'in_progress' and a.lease_expires_at is null and a.updated_at < now() - interval '1 day'
    where r.role <> 'viewer'`];
}

/**
 * The last run of an open ticket, if it has failed or gone silent. Its last sign is looked for after
 * everything else, which the offset prevents the planner from changing, because it reads all tasks of
 * the ticket: for each run and project this took ten seconds.
 */
function runs({ db, actor }: ActorContext): Fragment[] {
  if (isBot(actor)) return [];
  return [db`
    select 'agent_run', (g.run).id::text, coalesce(left((g.run).summary, 300), (g.run).agent_id), (g.run).updated_at,
      null::timestamptz, r.id, (g.run).ticket_id, cardinality((g.run).task_ids)
    from reach r cross join lateral (
      select g as run from agent_runs g join tickets k on k.id = g.ticket_id and k.status = 'open'
      where g.project_id = r.id and g.status in ('running', 'failed')
        and not exists (select from agent_runs o where o.ticket_id = g.ticket_id and o.id > g.id) offset 0) g
    where r.role = 'admin' and ((g.run).status = 'failed' or last_sign(g.run) < now() - interval '30 minutes')`];
}

/**
 * Webhooks that the service switched off, until a person switches them on or off, or deletes them.
 */
function webhooks({ db, actor }: ActorContext): Fragment[] {
  if (isBot(actor)) return [];
  return [db`
    select 'webhook', e.id::text, substring(e.origin from '://(.*)') || ': ' || e.disabled_reason, e.updated_at,
      null::timestamptz, r.id, null::uuid, 0
    from reach r join outbound_endpoints e on e.project_id = r.id and not e.enabled and e.disabled_reason is not null
    where r.role = 'admin'`];
}

/** The queues that receive jobs after their last try. */
const DEAD = Object.values(QUEUES).flatMap(({ deadLetter }: QueueDefinition) => deadLetter ?? []);

function deadLetters({ db, actor }: ActorContext): Fragment[] {
  if (actor.user.role !== "super_admin" || isBot(actor)) return [];
  return [db`
    select 'dead_letter', j.id::text, j.name, j.created_on, null::timestamptz, null::uuid, null::uuid, 0
    from pgboss.job j where j.name = any (${DEAD}::text[]) and j.state = 'created'`];
}
