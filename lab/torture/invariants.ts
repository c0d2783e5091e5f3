import type { Sql } from "../../db/open.ts";
import { MAX_RANK } from "../../src/tickets/ranks.ts";
import { TASK_TRANSITIONS } from "../../src/tasks/transitions.ts";

/** Rows of a ticket and its parts as JSON, under the names that history uses. */
const ROWS = `rows as (
  select id as ticket_id, 'ticket' as entity, id::text as entity_id, to_jsonb(t) as row from tickets t
  union all select ticket_id, 'task', id::text, to_jsonb(k) from tasks k
  union all select ticket_id, 'test_case', id::text, to_jsonb(c) from test_cases c
  union all select ticket_id, 'role', role, to_jsonb(r) from ticket_roles r
  union all select ticket_id, 'agent_run', id::text, to_jsonb(a) from agent_runs a
  union all select ticket_id, 'pull_request', id::text, to_jsonb(p) from ticket_pull_requests p
  union all select ticket_id, 'linked_issue', ticket_id::text, to_jsonb(i) from ticket_issues i
  union all select ticket_id, 'duplicate', id::text, to_jsonb(d) from ticket_duplicates d
)`;

/**
 * Each life of a row since its creation, and the values to which each of its fields was set, in
 * order.
 */
const STEPS = `lives as (
  select h.*, count(*) filter (where action = 'created') over (partition by ticket_id, entity, entity_id
    order by history_id, id) as life
  from history_entries h
), steps as (
  select ticket_id, entity, entity_id, life, history_id, c.key as field, null::jsonb as was, c.value as set, true as first
  from lives, jsonb_each(to_value) c where action = 'created'
  union all
  select ticket_id, entity, entity_id, life, history_id, field, from_value, to_value, false from lives
  where field is not null
)`;

/**
 * Statements that must hold for a database that nobody works on. Each query returns the rows that
 * break one.
 */
const INVARIANTS: Record<string, string> = {
  "a project's counter is beyond its numbers, and where nothing was imported there are no gaps": `
    select p.key, p.next_number, count(*), max(t.number) from projects p join tickets t on t.project_id = p.id
    group by p.id having max(t.number) >= p.next_number
      or (max(t.number) <> count(*) and not exists (select from audit_log a
        where a.action = 'project.imported' and a.target_id = p.id::text))
      or (next_number <> max(t.number) + 1)`,
  "a change begins where the one before it ended": `
    with ${STEPS}, chained as (
      select *, lag(set) over (partition by ticket_id, entity, entity_id, life, field order by history_id) as known
      from steps)
    select * from chained where not first and known is distinct from was`,
  "a row is what its history says": `
    with ${ROWS}, ${STEPS}, last as (
      select distinct on (ticket_id, entity, entity_id, field) * from steps
      order by ticket_id, entity, entity_id, field, life desc, history_id desc)
    select r.*, l.field, l.set from rows r join last l using (ticket_id, entity, entity_id)
    where nullif(r.row -> l.field, 'null') is distinct from l.set`,
  "what history made and did not take away is there, and nothing else": `
    with ${ROWS}, alive as (
      select distinct on (ticket_id, entity, entity_id) ticket_id, entity, entity_id, action from history
      where action in ('created', 'deleted') and ticket_id is not null and entity <> 'link' order by ticket_id, entity, entity_id, id desc)
    select * from rows r full join (select * from alive where action = 'created') a using (ticket_id, entity, entity_id)
    where r.row is null or a.action is null`,
  "a change is a version": `
    with ${ROWS} select r.* from rows r where (r.row ->> 'version')::integer <= (
      select count(distinct h.request_id) from history h where h.ticket_id = r.ticket_id and h.entity = r.entity
        and h.entity_id = r.entity_id and h.action = 'changed')`,
  "a person takes a task only where its status may go": `
    select * from history_entries where entity = 'task' and field = 'status' and actor ->> 'kind' in ('user', 'key')
      and not $1::jsonb -> (from_value #>> '{}') @> to_value`,
  "what is closed has passed its gates": `
    select t.id, t.number from tickets t where t.status = 'closed' and (
      exists (select from ticket_roles r where r.ticket_id = t.id and r.status in ('pending', 'in_progress'))
      or (exists (select from test_cases c where c.ticket_id = t.id and c.status <> 'approved')
        and not exists (select from history h where h.ticket_id = t.id and h.action = 'human_test_gate_skipped')))`,
  "a closed ticket has a resolution, and an open one has none and is nobody's duplicate": `
    select t.id, t.status, t.resolution_type from tickets t
    where (t.status = 'closed') <> (t.resolution_type is not null)
      or (t.status = 'open' and exists (select from ticket_duplicates d where d.ticket_id = t.id))`,
  "a ticket's counts are those of its tasks, cases, questions and runs": `
    select t.id from tickets t where (tasks_done, tasks_total, cases_approved, cases_total, pending_questions, human_questions,
      agent_runs)
      is distinct from (
        (select count(*) from tasks k where k.ticket_id = t.id and k.status in ('done', 'skipped')),
        (select count(*) from tasks k where k.ticket_id = t.id),
        (select count(*) from test_cases c where c.ticket_id = t.id and c.status = 'approved'),
        (select count(*) from test_cases c where c.ticket_id = t.id),
        (select count(*) from questions q where q.ticket_id = t.id and q.status = 'pending'),
        (select count(*) from questions q where q.ticket_id = t.id and q.status = 'pending' and q.resolver = 'human_only'),
        (select count(*) from agent_runs r where r.ticket_id = t.id))`,
  "a ticket's counts are those of its open blockers and of its children": `
    select t.id from tickets t where (open_blockers, children_open, children_total) is distinct from (
      (select count(*) from ticket_links l join tickets o on o.id = l.other_id
        where l.ticket_id = t.id and l.kind = 'blocked_by' and o.status = 'open'),
      (select count(*) from tickets c where c.parent_id = t.id and c.status = 'open'),
      (select count(*) from tickets c where c.parent_id = t.id))`,
  "all tickets of a project are in one order, and two that are placed have two keys": `
    select t.project_id, t.rank, count(*) from tickets t group by 1, 2
    having not bool_and(t.rank ~ '^[0-9A-Za-z]+$' and length(t.rank) <= ${MAX_RANK})
      or (count(*) > 1 and not exists (select from audit_log a
        where a.action = 'project.imported' and a.target_id = t.project_id::text))`,
  "the search knows every ticket as it is": `
    select t.id from tickets t left join ticket_embeddings e on e.ticket_id = t.id left join ticket_texts x on x.ticket_id = t.id
    where e.open is distinct from (t.status = 'open') or x.document is distinct from ticket_document(t.title, t.description)
      or (e.open and not keeps_vector_graph()) <> exists (
        select from ticket_embedding_bits b where b.ticket_id = t.id and b.bits = binary_quantize(e.embedding)::bit(384))`,
  "tasks have places from 1 without gaps": `
    select ticket_id, array_agg(sequence order by sequence) from tasks group by ticket_id
    having min(sequence) <> 1 or max(sequence) <> count(*) or count(distinct sequence) <> count(*)`,
  "a lease belongs to a claim, and a pending task to nobody who began it": `
    select * from tasks where (lease_expires_at is not null and (assignee_session_id is null or assignee_user_id is null))
      or (status = 'in_progress' and assignee_session_id is not null and lease_expires_at is null
        and claimed_with in (select id from api_keys))
      or (claimed_with is null and assignee_session_id is not null)
      or (status = 'pending' and (assignee_session_id is not null or started_at is not null))`,
  "a task in progress was begun, and one that is done, alone, completed": `
    select * from tasks where (status = 'in_progress' and started_at is null) or (status = 'done') <> (completed_at is not null)`,
  "a task waits for tasks of its ticket, and never for itself": `
    with recursive way as (
      select id as start, ticket_id, unnest(depends_on_task_ids) as id from tasks
      union select w.start, w.ticket_id, d from way w join tasks k on k.id = w.id, unnest(k.depends_on_task_ids) d)
    select w.* from way w left join tasks k on k.id = w.id and k.ticket_id = w.ticket_id where k.id is null or w.start = w.id`,
  "a case that was decided says by whom": `
    select * from test_cases where (status = 'pending') <> (decided_by is null)`,
  "a stored answer names its ticket": `
    select c.*, t.number from ticket_creations c left join tickets t on t.id = c.ticket_id and t.project_id = c.project_id
      left join projects p on p.id = t.project_id
    where t.id is null or c.response -> 'ticket' ->> 'id' <> t.id::text
      or c.response -> 'ticket' ->> 'ticket_ref' <> p.key || '-' || t.number
      or 1 < (select count(*) from ticket_creations o where o.ticket_id = c.ticket_id)`,
  "a stored answer names its part": `
    select c.* from part_creations c where not exists (select from history h where h.ticket_id = c.ticket_id
      and h.entity = c.part and h.action = 'created' and h.entity_id = c.response ->> 'id')`,
  "what belongs to a ticket belongs to its project": [
    "ticket_roles",
    "tasks",
    "test_cases",
    "ticket_issues",
    "ticket_pull_requests",
    "ticket_duplicates",
    "ticket_embeddings",
    "ticket_embedding_bits",
    "ticket_texts",
    "agent_runs",
    "history",
    "analysis_backlog",
    "suggestions",
  ].map((table) => `
    select '${table}' as kind, x.ticket_id from ${table} x left join tickets t on t.id = x.ticket_id
    where x.ticket_id is not null and t.project_id is distinct from x.project_id`).join(" union all "),
  "nothing is suggested for what is closed": `
    select s.* from suggestions s join tickets t on t.id in (s.ticket_id, s.other_ticket_id)
    where s.status = 'pending' and t.status = 'closed'`,
  "a decision on a suggestion says what it did": `
    select * from suggestions where (status in ('accepted', 'executed')) <> (before_accept is not null)
      or (status in ('accepted', 'dismissed')) <> (decided_by is not null)`,
  "what closed by itself is shown once": `
    select ticket_id, evidence -> 'closed_at' from suggestions where evidence ? 'closed_by' group by 1, 2
    having count(*) > 1`,
  "every delivery came to its end":
    `select id, provider, outcome, error from inbound_deliveries where outcome = 'failed'`,
  "a merge is stamped with its deploy once": `
    with ${STEPS} select ticket_id from steps
    where entity = 'ticket' and field in ('merge_sha', 'deployed_at') and set is not null group by ticket_id
    having count(*) filter (where field = 'deployed_at') > count(*) filter (where field = 'merge_sha')`,
  "a ticket that was not imported is stamped with reported deploys of its merge": `
    select t.id, t.merge_sha, t.deployed_at, t.deploy_failed_at from tickets t
    where not exists (select from history h where h.ticket_id = t.id and h.action = 'imported')
      and exists (select from (values ('success', t.deployed_at), ('failed', t.deploy_failed_at)) s (status, at)
        where s.at is not null and not exists (select from deploys d where d.sha = t.merge_sha and d.status = s.status))`,
  "a run stands at its agent's last event": `
    select r.agent_id, r.event_at, e.at from agent_runs r join lateral (
      select max((convert_from(d.body, 'utf8')::jsonb ->> 'timestamp')::timestamptz) as at from inbound_deliveries d
      where d.provider = 'cloud_agent' and d.subject = r.agent_id) e on true
    where r.event_at is distinct from e.at`,
  "a subscription stands at its last event": `
    select s.* from billing_subscriptions s join lateral (
      select b.body ->> 'id' as id from inbound_deliveries d, lateral (select convert_from(d.body, 'utf8')::jsonb as body) b
      where d.provider = 'payment' and b.body #>> '{data,object,id}' = s.subscription_id
      order by (b.body ->> 'created')::bigint desc, (b.body ->> 'type' <> 'customer.subscription.created'
        and b.body #>> '{data,object,status}' <> 'incomplete') desc, b.body ->> 'id' collate "C" desc limit 1) e on true
    where s.event_id <> e.id`,
  "a link tells of a pull request as it is known": `
    select l.* from ticket_pull_requests l join pull_requests p on p.repo = lower(l.repo) and p.number = l.number
    where l.state <> p.state`,
  "somebody stays who may do everything, and in each account that had one an admin": `
    select 'installation' as where from (select 1) one where not exists (select from users
      where role = 'super_admin' and kind = 'human' and deactivated_at is null)
    union all
    select a.slug from accounts a where exists (select from users u where u.account_id = a.id)
      and not exists (select from users u where u.account_id = a.id and u.role <> 'member' and u.deactivated_at is null)
      and not exists (select from audit_log l join users u on u.id::text = l.actor ->> 'id' and u.account_id <> a.id
        where l.account_id = a.id and l.action = 'user.updated' and l.details ->> 'role' = 'member')`,
  "who is switched off has no way in": `
    select u.id from users u where u.deactivated_at is not null and (
      exists (select from sessions s where s.user_id = u.id and s.revoked_at is null)
      or exists (select from api_keys k where k.user_id = u.id and k.revoked_at is null)
      or exists (select from invitations i where i.user_id = u.id and i.used_at is null))`,
  "members are of the project's account": `
    select m.* from project_members m join projects p on p.id = m.project_id join users u on u.id = m.user_id
    where u.account_id <> p.account_id`,
  "keys, users and memberships are as the audit says": `
    select k.id::text from api_keys k where not exists (
      select from audit_log a where a.action = 'key.created' and a.target_id = k.id::text)
    union all
    select u.id::text from users u join lateral (select details ->> 'name' as name from audit_log a
      where a.action = 'user.updated' and a.target_id = u.id::text and a.details ? 'name' order by a.id desc limit 1) a on true
    where u.name <> a.name
    union all
    select a.target_id from (
      select distinct on (target_id, details ->> 'project_id') target_id, details from audit_log
      where action in ('member.put', 'member.removed') order by target_id, details ->> 'project_id', id desc) a
    left join project_members m on m.user_id::text = a.target_id and m.project_id::text = a.details ->> 'project_id'
    where m.role is distinct from a.details ->> 'role'`,
  "no job failed, and none waits but for its time": `
    select name, state::text, data, output from pgboss.job where state = 'failed' or (state in ('active', 'retry'))
      or (state = 'created' and start_after < now() - interval '30 seconds')`,
};

/** Returns the broken invariants, with the first rows that show it. */
export async function brokenInvariants(sql: Sql): Promise<string[]> {
  const broken: string[] = [];
  for (const [what, query] of Object.entries(INVARIANTS)) {
    const values = query.includes("$1") ? [JSON.stringify(TASK_TRANSITIONS)] : [];
    const rows = await sql.unsafe(query, values);
    if (rows.length > 0) broken.push(`${what}: ${rows.length}, as ${JSON.stringify(rows[0]).slice(0, 600)}`);
  }
  return broken;
}

/** The place where each kind of write is found by the name that its client gave it. */
const TRACES: Record<string, string> = {
  create: `select substr(title, 7) from (select to_value ->> 'title' as title from history
    where entity = 'ticket' and action = 'created') t where title like 'Mixed %'`,
  edit:
    `select to_value #>> '{}' from history_entries where entity = 'ticket' and field = 'implementation_notes'`,
  task: `select to_value ->> 'title' from history where entity = 'task' and action = 'created'`,
  summary: `select to_value #>> '{}' from history_entries where entity = 'task' and field = 'summary'`,
  case: `select to_value ->> 'title' from history where entity = 'test_case' and action = 'created'`,
  instruction:
    `select to_value #>> '{}' from history_entries where entity = 'test_case' and field = 'instruction'`,
  delivery: `select encode(body_sha256, 'hex') from inbound_deliveries`,
  user: `select details ->> 'name' from audit_log where action = 'user.updated' and details ? 'name'`,
  key: `select name from api_keys where name like '%-%'`,
  survey: `select code from scope_surveys`,
  answer: `select email from survey_responses`,
};

/** Counts how often each write is in the database, under its name in the ledger. */
export async function findTraces(sql: Sql): Promise<Map<string, number>> {
  const query = Object.entries(TRACES).map(([kind, names]) =>
    `select '${kind} ' || name as name, count(*) as count from (${names}) found (name) group by 1`
  ).join(" union all ");
  const rows = await sql.unsafe<{ name: string; count: number }[]>(query);
  return new Map(rows.map(({ name, count }) => [name, count]));
}
