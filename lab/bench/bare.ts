/**
 * The server with which the service is compared: Hono and postgres.js and nothing else. It has no
 * credentials, checks, history, idempotency or log. Its reads use the same SQL and the same JSON as
 * the service. Its writes only insert the row.
 */
import { Hono } from "hono";
import { v7 as uuid } from "uuid";
import { openDatabase } from "../../db/open.ts";

const database = await openDatabase({
  url: Deno.env.get("DATABASE_URL"),
  dataDir: Deno.env.get("DATA_DIR") ?? "./data",
});
const { sql } = database;
const linksTo = Deno.env.get("LINKS_TO") ?? "";
await sql`
  create table if not exists bare_tickets (
    like tickets including defaults including constraints including generated, primary key (id))`;
await sql`create index if not exists bare_tickets_created_idx on bare_tickets (project_id, created_at, id)`;
await sql`
  insert into bare_tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role, actor_id,
    source, created_with)
  select id, project_id, number, title, description, request_type, priority, blocking, actor_role, actor_id, source,
    created_with from tickets on conflict do nothing`;

const app = new Hono();
app.get("/ready", (c) => c.json({ ready: true }));

app.post("/projects/:id/tickets", async (c) => {
  const body = await c.req.json();
  const [row] = await sql`
    insert into bare_tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
      actor_id, source, created_with)
    values (${uuid()}::uuid, ${
    c.req.param("id")
  }::uuid, 1, ${body.title}, ${body.description}, ${body.request_type},
      ${body.priority}, ${body.blocking}, 'user', 'bench', 'portal', 'key')
    returning id, status, created_at`;
  return c.json({ ticket: row }, 201);
});

/** The same columns as in src/tickets/_rows.ts. */
function summaryColumns(id: string) {
  return sql`t.id, t.project_id, 'BENCH' || '-' || t.number as ticket_ref, t.number, t.title, t.request_type, t.priority,
      t.blocking, t.stage, t.status, case when t.ship_state = 'merged' and (select exists (select from project_repositories r
        join deploy_reports d on d.repo = lower(r.full_name) where r.project_id = ${id}::uuid)) then 'waiting'
      else t.ship_state end as ship,
      coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'status', r.status) order by r.role)
        from ticket_roles r where r.ticket_id = t.id), '[]') as roles,
      t.resolution_type, t.closed_at, t.merge_sha, t.deployed_at, t.deploy_failed_at, t.actor_role, t.actor_id, t.source,
      t.pending_questions, t.created_by, t.created_with, t.version, t.created_at, t.updated_at,
      ${`${linksTo}/BENCH/tickets/BENCH-`} || t.number as url,
      (select jsonb_build_object('done', count(*) filter (where k.status in ('done', 'skipped')), 'total', count(*))
        from tasks k where k.ticket_id = t.id) as tasks,
      (select jsonb_build_object('approved', count(*) filter (where c.status = 'approved'), 'total', count(*))
        from test_cases c where c.ticket_id = t.id) as cases,
      (select jsonb_build_object('id', u.id, 'name', u.name, 'kind', 'agent', 'lease_expires_at', k.lease_expires_at)
        from tasks k join users u on u.id = k.assignee_user_id
        where k.ticket_id = t.id and k.status = 'in_progress' order by k.started_at, k.id limit 1) as claimed_by,
      (select jsonb_build_object('id', r.id, 'agent_id', r.agent_id, 'status', r.status)
        from agent_runs r where r.ticket_id = t.id order by r.id desc limit 1) as agent_run,
      t.assignee_user_id,
      (select jsonb_build_object('name', u.name, 'kind', u.kind) from users u where u.id = t.assignee_user_id) as assignee,
      coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name, 'color', l.color))
        from labels l where l.id = any (t.labels)), '[]') as labels,
      t.start_on::text, t.due_on::text, t.estimate::float8, t.milestone_id,
      (select m.name from milestones m where m.id = t.milestone_id) as milestone_name,
      coalesce(t.column_id, (select c.id from board_columns c
        where c.project_id = t.project_id and c.open_stage = t.stage order by c.id limit 1)) as column_id, t.rank,
      t.parent_id, (select 'BENCH' || '-' || p.number from tickets p where p.id = t.parent_id) as parent_ref,
      jsonb_build_object('open', t.children_open, 'total', t.children_total) as children, t.open_blockers`;
}

app.get("/projects/:id/tickets", async (c) => {
  const id = c.req.param("id");
  const rows = await sql`
    select ${summaryColumns(id)}
    from tickets t where t.project_id = ${id}::uuid
    order by t.created_at desc, t.id desc limit 51`;
  const last = rows[49];
  return c.json({
    tickets: rows.slice(0, 50),
    next_cursor: rows.length > 50
      ? btoa(JSON.stringify(["-created_at", last!.created_at, last!.id])).replaceAll("=", "")
      : null,
  });
});

app.get("/projects/:id/tickets/:ticketId", async (c) => {
  const { id, ticketId } = c.req.param();
  const [row] = await sql`
    select ${summaryColumns(id)},
      t.description, t.evidence, t.suggested_resolution, t.implementation_notes, t.resolution_note,
      jsonb_build_object(
        'people', (select count(*) from projects x where x.id = t.project_id and x.closing = 'people'),
        'children', t.children_open,
        'roles', (select count(*) from ticket_roles r where r.ticket_id = t.id and r.status in ('pending', 'in_progress')),
        'cases', (select count(*) from test_cases c where c.ticket_id = t.id and c.status <> 'approved'),
        'questions', (select count(*) from questions q where q.ticket_id = t.id and q.status = 'pending'
          and q.resolver = 'human_only' and not q.made_with_ticket)) as closing
    from tickets t where t.project_id = ${id}::uuid and t.id = ${ticketId}::uuid`;
  return row ? c.json(row) : c.json({ error: "not found" }, 404);
});

app.get("/projects/:id/tickets/:ticketId/tasks", async (c) => {
  const { id, ticketId } = c.req.param();
  const tasks = await sql`
    select t.id, t.ticket_id as handoff_request_id, t.project_id, t.number, t.sequence, t.title, t.body, t.summary, t.role, t.status,
      t.assignee_user_id, t.assignee_session_id, t.depends_on_task_ids, t.acceptance_criteria, t.estimated_minutes,
      t.actual_minutes, t.blocking_reason, t.started_at, t.completed_at, t.lease_expires_at, t.version, t.created_at,
      t.updated_at
    from tasks t where t.ticket_id = ${ticketId}::uuid and t.project_id = ${id}::uuid
    order by t.sequence`;
  return c.json({ tasks });
});

app.post("/projects/:id/tickets/bulk", async (c) => {
  const { ticket_ids, stage } = await c.req.json();
  const ids: string[] = ticket_ids;
  const updated = await sql.begin(async (tx) => {
    await tx`select id from bare_tickets where id = any (${ids}::uuid[]) order by id for update`;
    const rows = await tx`
      update bare_tickets set stage = ${stage}, version = version + 1, updated_at = now()
      where id = any (${ids}::uuid[]) returning id`;
    return rows.length;
  });
  return c.json({ updated, errors: [] });
});

const server = Deno.serve({
  port: Number(Deno.env.get("PORT")),
  hostname: "127.0.0.1",
  onListen: () => {},
}, app.fetch);

Deno.addSignalListener("SIGTERM", () => {
  server.shutdown().then(() => database.close()).then(() => Deno.exit(0));
});
