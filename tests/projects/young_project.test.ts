import { beforeAll, expect, test } from "vitest";
import type { ProjectContext } from "../../src/core/context.ts";
import { listSuggestions } from "../../src/suggestions/list.ts";
import { ListSuggestions } from "../../src/suggestions/schema.ts";
import { listProjectTasks } from "../../src/tasks/list_project_tasks.ts";
import { ListProjectTasks } from "../../src/tasks/schema.ts";
import { listProjectTestCases } from "../../src/test_cases/list_project_test_cases.ts";
import { ListProjectTestCases } from "../../src/test_cases/schema.ts";
import { listTickets } from "../../src/tickets/list.ts";
import { ListTickets } from "../../src/tickets/schema.ts";
import { explaining } from "../explaining.ts";
import { makeProject, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const ROWS = 3_000;

const harness = useHarness();
let young: TestProject;

beforeAll(async () => {
  const old = await makeProject(harness.now);
  young = await makeProject(harness.now);
  await harness.now.sql.begin(async (sql) => {
    // Nobody reads their history.
    await sql`set local session_replication_role = replica`;
    await sql`
      create temp table ids on commit drop as
      select project, n, ('01900000-0000-7000-8000-' || lpad(to_hex(place * ${ROWS}::integer + n), 12, '0'))::uuid as id
      from unnest(${[
      old.id,
      young.id,
    ]}::uuid[]) with ordinality p (project, place), generate_series(1, ${ROWS}) n
      order by id`;
    await sql`
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
        actor_id, source, created_with)
      select id, project, n, 'Ticket', 'One of many', 'bug', 'low', false, 'user', 'u',
        'portal', 'session'
      from ids order by ids.id`;
    await sql`
      insert into tasks (id, ticket_id, project_id, sequence, number, title, role)
      select id, id, project, 1, 1, 'Task', 'backend' from ids order by ids.id`;
    await sql`
      insert into test_cases (id, ticket_id, project_id, title, instruction)
      select id, id, project, 'Case', 'Look at it' from ids order by ids.id`;
    await sql`
      insert into suggestions (id, project_id, kind, status, ticket_id, title, rationale, confidence, evidence, fingerprint,
        decided_at)
      select id, project, 'stale', 'dismissed', id, 'Stale', 'Long ago', 0.5, '{}', id::text, now() from ids order by ids.id`;
  });
  await harness.now.sql.unsafe("vacuum analyze tickets, tasks, test_cases, suggestions");
});

test("a page of a large project begins at its own rows, not at the oldest or newest of all", async () => {
  const { sql, services } = harness.now;
  const { id } = young;
  const plans: string[] = [];
  const ctx = {
    ...services,
    db: explaining(sql, plans),
    pageBytes: 2 ** 21,
    project: { ...young, keys: [young.key], disabled_roles: [] },
    actor: { user: young.admin, credential: { type: "session" } },
  } as unknown as ProjectContext;
  await listTickets(ctx, ListTickets.parse({ id, sort: "priority", priority: "low" }));
  await listTickets(ctx, ListTickets.parse({ id, sort: "-priority", priority: "low" }));
  await listProjectTasks(ctx, ListProjectTasks.parse({ id }));
  await listProjectTasks(ctx, ListProjectTasks.parse({ id, role: "backend" }));
  await listProjectTasks(ctx, ListProjectTasks.parse({ id, ready: true }));
  await listProjectTestCases(ctx, ListProjectTestCases.parse({ id }));
  await listProjectTestCases(ctx, ListProjectTestCases.parse({ id, status: "pending" }));
  await listSuggestions(ctx, ListSuggestions.parse({ id, status: "all" }));
  await listSuggestions(ctx, ListSuggestions.parse({ id, status: "dismissed" }));
  expect(plans).toHaveLength(10);
  const others = plans.filter((plan) => !/Scan .*using (?!\w+_pkey on)\w+ on \w+ [tcsk]\b/.test(plan));
  expect(others).toEqual([]);
});
