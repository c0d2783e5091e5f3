import { beforeAll, test } from "vitest";
import { type ProjectContext, systemContext } from "../../src/core/context.ts";
import { transact } from "../../src/core/transact.ts";
import { listTickets } from "../../src/tickets/list.ts";
import { ListTickets, TicketSort } from "../../src/tickets/schema.ts";
import { explaining } from "../explaining.ts";
import { makeProject, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { until } from "../until.ts";

const OLD = 60_000;
const FEW = 20;
const FRESH = 10_000;

const harness = useHarness({ env: { JOBS: "on" } });
let grown: TestProject;

beforeAll(async () => {
  const { sql, services } = harness.now;
  const old = await makeProject(harness.now);
  grown = await makeProject(harness.now);
  // The service has to do it, and not the server some time later.
  if (harness.now.place.url) await sql`alter table tickets set (autovacuum_enabled = off)`;
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`set local statement_timeout = 0`;
    await insert(sql, old, OLD);
    // The planner knows of these, and goes on to expect as few.
    await insert(sql, grown, FEW);
  });
  await sql`vacuum analyze tickets`;
  const ctx = systemContext(services, { kind: "job", id: "import" }, "grown");
  await transact(ctx, async ({ db }) => {
    await db`set local statement_timeout = 0`;
    await insert(db, grown, FRESH, FEW);
  });
});

function insert(db: ProjectContext["db"], { id }: TestProject, count: number, before = 0) {
  return db`
    insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
      actor_id, source, created_with, created_at, updated_at)
    select gen_random_uuid(), ${id}::uuid, n, 'Ticket', 'One of many', 'bug', 'low', false, 'user', 'u', 'portal',
      'session', at, at
    from generate_series(1 + ${before}::integer, ${count}::integer + ${before}::integer) n, lateral (select timestamptz '2024-01-01' + n * interval '1 minute' as at) x`;
}

/** Whether a page of 50 is read in its order, and not sorted out of all tickets. */
async function isReadInOrder(sort: string): Promise<boolean> {
  const plans: string[] = [];
  const ctx = {
    ...harness.now.services,
    db: explaining(harness.now.sql, plans, "(analyze)"),
    project: { ...grown, keys: [grown.key] },
  } as unknown as ProjectContext;
  await listTickets(ctx, ListTickets.parse({ id: grown.id, sort }));
  return !/Sort Key: t\.|rows=100\d\d/.test(plans[0]!.split("SubPlan")[0]!);
}

test.each(TicketSort.options)(
  "a list of a project that has just grown by 10,000 tickets reads its page alone, sorted by %s",
  async (sort) => {
    await until(() => isReadInOrder(sort));
  },
);

test("statistics of the tickets are taken by the service, outside of any request", async () => {
  await until(() => harness.now.statements.some((text) => /^analyze \(skip_locked\) .*tickets$/.test(text)));
});
