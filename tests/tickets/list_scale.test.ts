import { beforeAll, describe, expect, test } from "vitest";
import type { ProjectContext } from "../../src/core/context.ts";
import { Role } from "../../src/core/schema.ts";
import { listTickets } from "../../src/tickets/list.ts";
import {
  ListTickets,
  Priority,
  RequestType,
  Ship,
  Stage,
  Status,
  TicketSort,
} from "../../src/tickets/schema.ts";
import { bestTimes } from "../best_times.ts";
import { explaining, genericPlan } from "../explaining.ts";
import { makeProject, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const TICKETS = 100_000;
const STEP = 10_000;

const harness = useHarness();
let project: TestProject;

beforeAll(async () => {
  project = await makeProject(harness.now, { repositories: ["acme/one"] });
  for (let from = 1; from <= TICKETS; from += STEP) await fill(from, from + STEP - 1);
  await letThemWait();
  await planSome();
  for (const table of ["watchers", "tickets", "ticket_roles", "ticket_texts", "questions", "test_cases"]) {
    await harness.now.sql.unsafe(`vacuum analyze ${table}`);
  }
});

/**
 * A project as it looks after years: nearly everything closed and deployed, a few tickets in each
 * open stage, some waiting for their deploy, one in a thousand with a rare role, two in a hundred
 * blocking. Without triggers, since nobody reads these tickets' history.
 */
async function fill(from: number, to: number): Promise<void> {
  await harness.now.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
        actor_id, source, created_with, created_at, updated_at, stage, status, closed_at, resolution_type, merge_sha,
        deployed_at, deploy_failed_at)
      select gen_random_uuid(), ${project.id}::uuid, n, 'Ticket ' || n || case when n % 1000 = 7 then ' zebra' else '' end,
        'Words of ticket ' || n, (array['bug', 'clarification_needed', 'decision_needed', 'feature_request'])[1 + n % 4],
        (array['low', 'medium', 'high'])[1 + n % 3], n % 50 = 0, 'user', 'u', 'portal', 'session',
        at, at + (n % 977) * interval '1 hour', stage, case stage when 'live' then 'closed' else 'open' end,
        case stage when 'live' then at end, case stage when 'live' then 'completed' end,
        case when merged then lpad(to_hex(n), 40, '0') end, case when merged and n % 500 > 1 then at end,
        case when merged and n % 500 = 1 then at end
      from generate_series(${from}::integer, ${to}::integer) n,
        lateral (select timestamptz '2020-01-01' + n * interval '20 minutes' as at, n % 2 = 0 or n % 500 = 1 as merged,
          case when n % 20 < 16 then 'live' else (array['backlog', 'up_next', 'in_progress', 'validation'])[n % 20 - 15] end
            as stage) x`;
    await sql`
      insert into ticket_roles (ticket_id, project_id, role)
      select id, project_id, case when number % 1000 = 3 then 'design' else 'backend' end from tickets
      where project_id = ${project.id}::uuid and number between ${from} and ${to}`;
    await sql`
      insert into ticket_texts (ticket_id, project_id, document)
      select id, project_id, ticket_document(title, description) from tickets
      where project_id = ${project.id}::uuid and number between ${from} and ${to}`;
  });
}

/**
 * Asks a person about each ticket of the backlog, and gives each ticket in validation two cases, which
 * are pending except for one ticket in ten.
 */
async function letThemWait(): Promise<void> {
  await harness.now.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into questions (id, ticket_id, project_id, kind, prompt, allow_text, resolver, created_by,
        created_with, by_bot)
      select gen_random_uuid(), id, project_id, 'question', 'Which one?', true, 'human_only', gen_random_uuid(), 'session', false
      from tickets where project_id = ${project.id}::uuid and stage = 'backlog'`;
    await sql`
      insert into test_cases (id, ticket_id, project_id, title, instruction, status, decided_at)
      select gen_random_uuid(), id, project_id, 'Case', 'Look at it',
        case number % 200 when 19 then 'rejected' else 'pending' end, case number % 200 when 19 then now() end
      from tickets, generate_series(1, 2) where project_id = ${project.id}::uuid and stage = 'validation'`;
    await sql`
      update tickets set pending_questions = (stage = 'backlog')::integer, human_questions = (stage = 'backlog')::integer,
        cases_total = case stage when 'validation' then 2 else 0 end
      where project_id = ${project.id}::uuid and stage in ('backlog', 'validation')`;
  });
}

/** Gives one ticket in a thousand an author, a plan and a watcher, and half of them blockers and links. */
async function planSome(): Promise<void> {
  const { id: userId } = project.admin;
  const [label, milestone] = [crypto.randomUUID(), crypto.randomUUID()];
  await harness.now.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`insert into labels (id, project_id, name, name_key, color)
      values (${label}::uuid, ${project.id}::uuid, 'rare', 'rare', '#123456')`;
    await sql`insert into milestones (id, project_id, name, name_key)
      values (${milestone}::uuid, ${project.id}::uuid, 'rare', 'rare')`;
    await sql`
      update tickets t set created_by = ${userId}::uuid, assignee_user_id = ${userId}::uuid, labels = array[${label}::uuid],
        due_on = '2020-06-01', estimate = 100, milestone_id = ${milestone}::uuid, open_blockers = number / 1000 % 2,
        parent_id = (select y.id from tickets y where y.project_id = t.project_id and y.number = 1)
      where project_id = ${project.id}::uuid and number % 1000 = 17`;
    await sql`insert into watchers (ticket_id, user_id, project_id, reason)
      select id, ${userId}::uuid, project_id, 'manual' from tickets
      where project_id = ${project.id}::uuid and number % 1000 = 18`;
    await sql`insert into ticket_links (id, ticket_id, project_id, kind, other_id, other_project_id)
      select gen_random_uuid(), t.id, t.project_id, 'blocked_by', y.id, y.project_id
      from tickets t, tickets y where t.project_id = ${project.id}::uuid and t.number % 1000 = 17
        and y.project_id = t.project_id and y.number = 1`;
  });
}

function read(query: Record<string, unknown>) {
  const search = new URLSearchParams(query as Record<string, string>);
  return harness.now.call("GET", `${project.path}/tickets?${search}`, { token: project.admin.token });
}

/** The plan of the list's own statement, with the values of the call. */
async function explain(query: Record<string, unknown>, options = "", of = project): Promise<string> {
  const { sql, services } = harness.now;
  const plans: string[] = [];
  const ctx = {
    ...services,
    db: explaining(sql, plans, options),
    project: { ...of, account_id: of.accountId, keys: [of.key], time_zone: "UTC" },
    actor: {
      user: { ...of.admin, role: "admin", account_id: of.accountId },
      credential: { type: "session" },
    },
  } as unknown as ProjectContext;
  await listTickets(ctx, ListTickets.parse({ id: of.id, ...query }));
  return plans[0]!;
}

/** A plan without the parts that are read once for a statement. Their lines are further to the right. */
function withoutInitPlans(plan: string): string {
  return plan.replaceAll(/^( *)InitPlan.*\n(?:\1 .*\n)*/gm, "");
}

/** The blocks that a statement read, from memory or not. */
function blocksOf(plan: string): number {
  const [buffers] = /Buffers: shared .*/.exec(plan)!;
  return Array.from(buffers.matchAll(/(?:hit|read)=(\d+)/g), ([, count]) => Number(count))
    .reduce((sum, count) => sum + count, 0);
}

/** A cursor behind the row at this place in an order. */
async function cursorAt(sort: string, place: number): Promise<string> {
  const { sql } = harness.now;
  const column = sort.replace("-", "").replace("priority", "priority_rank");
  const direction = sort.startsWith("-") ? "desc" : "asc";
  const [row] = await sql.unsafe<[{ value: unknown; id: string }]>(`
    select ${column} as value, id from tickets where project_id = '${project.id}'
    order by ${column} ${direction}, id ${direction} offset ${place - 1} limit 1`);
  return btoa(JSON.stringify([sort, row.value, row.id])).replaceAll("=", "");
}

const FILTERS: [string, unknown][] = Object.entries({
  stage: Stage.options,
  status: Status.options,
  role: Role.options,
  request_type: RequestType.options,
  priority: Priority.options,
  ship: Ship.options,
  blocking: ["true", "false"],
  q: ["zebra", "words of a ticket", "-zebra", "nothing"],
}).flatMap(([name, values]) => values.map((value): [string, unknown] => [name, value]));

describe("the list of a project with 100,000 tickets", () => {
  test.each(TicketSort.options)(
    "reads the tickets by an index for each filter, sorted by %s",
    async (sort) => {
      const cursor = await cursorAt(sort, TICKETS / 2);
      const key = { q: `${project.key}-4711` };
      for (const filter of [{}, key, ...FILTERS.map(([name, value]) => ({ [name]: value }))]) {
        for (const place of [{}, { cursor }]) {
          const plan = await explain({ sort, ...filter, ...place });
          expect(plan, JSON.stringify(filter)).toMatch(/Index (Only )?Scan|Bitmap Index Scan/);
          expect(plan, JSON.stringify(filter)).not.toMatch(/Seq Scan on tickets/);
        }
      }
    },
  );

  test.each(TicketSort.options)("starts a page at its place in the index, sorted by %s", async (sort) => {
    const plan = await explain({ sort, cursor: await cursorAt(sort, TICKETS / 2) });
    expect(plan).toMatch(/Index Cond: \(\(project_id = .*\) AND \(ROW\(\w+, id\) [<>]=? ROW\(/);
    // The other columns that a row shows are read for the page's rows alone.
    expect(withoutInitPlans(plan).split("SubPlan")[0]).not.toMatch(/Sort Key|Filter: (?!\(id <> )/);
  });

  test("costs the same on page 1 and on page 1,000 within a factor of 1.5", async () => {
    const frequent = [{ role: "backend" }, { q: "words of a ticket" }];
    const byPriority = [{}, ...frequent].map((filter) => ({ sort: "-priority", ...filter }));
    for (const list of [{ sort: "-created_at" }, ...byPriority]) {
      const pages = [list, { ...list, cursor: await cursorAt(list.sort, 999 * 50) }];
      const alike = (costs: number[]) => Math.max(...costs) <= 1.5 * Math.min(...costs);
      const blocks = await Promise.all(pages.map(async (page) => {
        const plan = await explain(page, "(analyze, buffers)");
        return Number(/Buffers: shared hit=(\d+)/.exec(plan)![1]);
      }));
      expect(blocks, `blocks read, ${JSON.stringify(list)}`).toSatisfy(alike);
      const times = await bestTimes(
        pages.map((page) => async () => expect((await read(page)).body.tickets).toHaveLength(50)),
        alike,
      );
      expect(times, `milliseconds, ${JSON.stringify(list)}`).toSatisfy(alike);
    }
  });

  test("of the lowest priority is not read to its end for the few that match", async () => {
    const cursor = await cursorAt("-priority", TICKETS * 0.7);
    for (const rare of [{ q: "zebra" }, { role: "design" }, { ship: "deploy_failed" }]) {
      const plan = await explain({ sort: "-priority", cursor, ...rare }, "(analyze)");
      expect(plan, JSON.stringify(rare)).not.toMatch(/loops=\d{4}|Rows Removed by Filter: \d{4}/);
    }
  });

  test("finds what waits for a person in few blocks, with any other filter and in any order", async () => {
    const cursor = await cursorAt("-created_at", TICKETS / 2);
    const others = [
      { q: "zebra" },
      { q: "words of a ticket" },
      { q: "nothing" },
      { request_type: "bug" },
      { role: "design" },
      { ship: "deployed" },
      { blocking: "true" },
      { priority: "low" },
      { stage: "up_next" },
      { status: "closed" },
      { cursor },
    ];
    for (const waiting_on of ["person", "agent"]) {
      for (const sort of TicketSort.options) {
        for (const other of [{}, ...others.filter(({ cursor }) => !cursor || sort === "-created_at")]) {
          const plan = await explain({ waiting_on, sort, ...other }, "(analyze, buffers)");
          expect(blocksOf(plan), `${JSON.stringify({ waiting_on, sort, ...other })} ${plan}`).toBeLessThan(
            60_000,
          );
          expect(plan).not.toMatch(
            /Rows Removed by (Join )?Filter: [2-9]\d{4}|Rows Removed by (Join )?Filter: \d{6}|Seq Scan on (tickets|test_cases|questions)/,
          );
        }
      }
    }
  });

  test("finds no blocking ticket among the open ones without a look at these", async () => {
    for (const other of [{}, { stage: "up_next" }, { sort: "priority" }]) {
      const plan = await explain({ blocking: true, status: "open", ...other }, "(analyze, buffers)");
      expect(blocksOf(plan), plan).toBeLessThan(100);
    }
  });

  test("finds the few tickets that a filter in the text asks for in few blocks, in any order", async () => {
    const first = `${project.key}-1`;
    const texts = [
      "label:rare",
      "milestone:rare",
      "assignee:me",
      "author:me",
      `parent:${first}`,
      `children-of:${first}`,
      `link:${first}`,
      "estimate:>50",
      "due:2020-06-01",
      "due:<2020-07-01",
      "closed:2020-06-01",
      "is:blocked",
      "is:mine",
      "is:watched",
      "created:2020-06-01",
      "role:design",
      "zebra label:rare",
    ];
    for (const sort of TicketSort.options) {
      for (const q of texts) {
        const plan = await explain({ q, sort }, "(analyze, buffers)");
        expect(plan, q).not.toMatch(/Seq Scan on tickets|Rows Removed by Filter: \d{5}/);
        expect(blocksOf(plan), `${sort} ${q} ${plan}`).toBeLessThan(10_000);
      }
    }
    const counts = async (q: string) => (await read({ q, limit: 200 })).body.tickets.length;
    for (const q of ["label:rare", "author:me", `link:${first}`, "estimate:>50"]) {
      expect(await counts(q), q).toBe(100);
    }
    expect([await counts("is:blocked"), await counts("is:watched")]).toEqual([50, 200]);
  });

  test("is no cost of what waits for a person in it, besides the waiting tickets themselves", async () => {
    const { admin } = project;
    const waiting = () => harness.now.call("GET", "/waiting?limit=50", { token: admin.token });
    const { body } = await waiting();
    expect([body.waiting.length, body.total]).toEqual([50, 14_000]);
    const plan = await genericPlan(harness.now, waiting, /from reach r/);
    expect(plan).not.toMatch(/Seq Scan on tickets/);
  });

  test("is planned for the role that is asked for, however often a list was read", async () => {
    const of = (role: string) => genericPlan(harness.now, () => read({ role }), /from tickets t/);
    expect(await of("backend")).toMatch(/Index Scan.* using tickets_created_idx/);
    expect(await of("design")).not.toContain("tickets_created_idx");
  });

  test("tells how many are in each stage without a look at any ticket", async () => {
    const { path, admin } = project;
    const count = () => harness.now.call("GET", `${path}/tickets/counts`, { token: admin.token });
    expect((await count()).body.stages).toEqual({
      backlog: 5000,
      up_next: 5000,
      in_progress: 5000,
      validation: 5000,
    });
    expect(await genericPlan(harness.now, count, /from tickets t/)).toContain(
      "Index Only Scan using tickets_stage_idx",
    );
  });

  test("reads no closed tickets to list the few that are open", async () => {
    const { sql } = harness.now;
    const quiet = await makeProject(harness.now);
    await sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`
        insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
          actor_id, source, created_with, created_at, updated_at, stage, status, closed_at, resolution_type)
        select gen_random_uuid(), ${quiet.id}::uuid, n, 'Ticket', 'Done long ago', 'bug', 'low', false, 'user', 'u',
          'portal', 'session', at, at, stage, case stage when 'live' then 'closed' else 'open' end,
          case stage when 'live' then at end, case stage when 'live' then 'completed' end
        from generate_series(1, 20000) n,
          lateral (select timestamptz '2020-01-01' + n * interval '20 minutes' as at,
            case n when 7 then 'backlog' when 8 then 'validation' else 'live' end as stage) x`;
    });
    await sql.unsafe("vacuum analyze tickets");
    for (const sort of TicketSort.options) {
      for (const filter of [{ status: "open" }, { stage: "validation" }]) {
        const plan = await explain({ sort, ...filter }, "(analyze)", quiet);
        expect(plan, JSON.stringify(filter)).toMatch(/actual time=\S+ rows=[12]\b/);
        expect(plan, JSON.stringify(filter)).not.toMatch(/Rows Removed by Filter: \d\d/);
      }
    }
  });

  test("finds the rare ones among them", async () => {
    const counts = async (query: Record<string, unknown>) =>
      (await read({ limit: 200, ...query })).body.tickets.length;
    expect(await counts({ role: "design" })).toBe(100);
    expect(await counts({ ship: "merged" })).toBe(200);
    expect(await counts({ ship: "deploy_failed" })).toBe(200);
    expect(await counts({ q: "zebra" })).toBe(100);
    expect(await counts({ q: `${project.key}-4711` })).toBe(1);
  });
});
