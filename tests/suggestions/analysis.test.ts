import { describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { analyze, embedding, INVOICE, list, makePair, UPLOAD } from "./world.ts";

const harness = useHarness(embedding);

function progress(project: TestProject) {
  return harness.now.call("GET", `${project.path}/ai-suggestions/analysis`, { token: project.admin.token });
}

function analyzeNow(project: TestProject) {
  return harness.now.call("POST", `${project.path}/ai-suggestions/analysis`, { token: project.admin.token });
}

/**
 * Makes many tickets in one statement, with their history as always. Their vectors point in all
 * directions, because an index with hundreds of close vectors loses the vectors that lie apart.
 */
async function makeMany(project: TestProject, count: number): Promise<void> {
  await harness.now.sql.begin(async (tx) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
    await tx`
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role, actor_id,
        source, created_with)
      select gen_random_uuid(), ${project.id}::uuid, n, 'Ticket ' || n, 'Without any words of its own', 'bug', 'low', false,
        'user', 'test', 'test', 'session' from generate_series(1, ${count}) n`;
    await tx`
      insert into ticket_embeddings (ticket_id, project_id, open, embedding)
      select id, project_id, true, (select array_agg(sin(number * place * place)::float4 order by place)
        from generate_series(1, 384) place)::vector
      from tickets where project_id = ${project.id}::uuid`;
  });
}

/** An analysis that ended after the first of three batches, as if its process had died. */
async function stopHalfWay() {
  const project = await makeProject(harness.now);
  await makeMany(project, 150);
  await harness.now.run("collect-changes");
  expect((await progress(project)).body).toMatchObject({
    state: "waiting",
    waiting: 150,
    started_at: null,
  });
  await harness.now.sql`
    create function break_second_batch() returns trigger language plpgsql as $$
    begin if new.done > 50 then raise exception 'the process ends here'; end if; return new; end $$`;
  await harness.now.sql`
    create trigger break_second_batch before update on project_analyses for each row execute function break_second_batch()`;
  await harness.now.work("analyze-project");
  expect((await progress(project)).body).toMatchObject({
    state: "running",
    waiting: 100,
    total: 150,
    done: 50,
  });
  await harness.now.sql`drop function break_second_batch cascade`;
  return project;
}

describe("an analysis", () => {
  test("works in steps: its statements grow with the batches, not with the tickets", async () => {
    const statements: number[] = [];
    for (const count of [100, 300]) {
      const project = await makeProject(harness.now);
      await makeMany(project, count);
      await analyzeNow(project);
      statements.push(await harness.now.count(() => harness.now.work("analyze-project")));
      expect((await progress(project)).body).toMatchObject({
        state: "idle",
        waiting: 0,
        total: count,
        done: count,
      });
    }
    const batches = (300 - 100) / 50;
    expect(statements[1]! - statements[0]!).toBeLessThanOrEqual(batches * 20);
  });

  test("that stopped half-way goes on with what is left", async () => {
    const project = await stopHalfWay();
    await analyze(harness.now);
    expect((await progress(project)).body).toMatchObject({ state: "idle", waiting: 0 });
  });

  test("that stopped half-way is over once its project is archived", async () => {
    const project = await stopHalfWay();
    await harness.now.call("DELETE", project.path, { token: project.admin.token });
    await analyze(harness.now);
    expect((await progress(project)).body).toMatchObject({ state: "idle", waiting: 0 });
  });

  test("is asked for by members, twice at once for one run, and looks at every open ticket", async () => {
    const project = await makeProject(harness.now);
    await makePair(harness.now, project);
    await analyze(harness.now);
    const member = await makeMember(harness.now, project, "member");
    const path = `${project.path}/ai-suggestions/analysis`;
    const answers = await Promise.all(
      [1, 2].map(() => harness.now.call("POST", path, { token: member.token })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers.map(({ body }) => body.state)).toEqual(["waiting", "waiting"]);
    expect(await harness.now.work("analyze-project")).toBe(1);
    expect((await progress(project)).body).toMatchObject({ state: "idle", total: 2, done: 2 });
  });

  test("leaves archived projects alone", async () => {
    const project = await makeProject(harness.now);
    await makePair(harness.now, project);
    await harness.now.call("DELETE", project.path, { token: project.admin.token });
    await analyze(harness.now);
    expect(await list(harness.now, project, "status=all")).toEqual([]);
    const waiting = await harness.now
      .sql`select from analysis_backlog where project_id = ${project.id}::uuid`;
    expect(waiting).toHaveLength(0);
  });

  test("goes on after the clock was set back", async () => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project, INVOICE);
    await harness.now.sql`update history set created_at = now() + interval '1 day'`;
    await analyze(harness.now);
    await harness.now.run("collect-changes");
    expect((await progress(project)).body).toMatchObject({ state: "idle", waiting: 0 });
  });

  test("waits for the embedding of a new text", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project, UPLOAD);
    const other = await makeTicket(harness.now, project, INVOICE);
    await harness.now.call("PATCH", other.path, { token: project.admin.token, body: UPLOAD });
    await analyze(harness.now);
    expect((await progress(project)).body).toMatchObject({ state: "waiting", waiting: 1, total: 2, done: 1 });
    await harness.now.work("embed-ticket");
    await analyze(harness.now);
    expect(await list(harness.now, project)).toMatchObject([
      { ticket_id: other.id, evidence: { duplicate_of: { ticket_id: ticket.id }, similarity: 1 } },
    ]);
  });
});
