import { expect, test } from "vitest";
import { v7 as uuid } from "uuid";
import { systemContext } from "../../src/core/context.ts";
import { transact } from "../../src/core/transact.ts";
import { makeProject, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { CRON_SECRET, newSha, sendDeploy } from "./setup.ts";

const harness = useHarness({ env: { CRON_SECRET } });

/** Open tickets, merged as `sha`; written straight into the tables, by the number. */
async function park(project: TestProject, sha: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => uuid());
  await transact(systemContext(harness.now.services, { kind: "job", id: "test" }, "park"), async ({ db }) => {
    await db`
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role, actor_id,
        source, created_with, merge_sha)
      select t.id::uuid, p.id, p.next_number + place, 'Parked ticket', 'It waits for its deploy.', 'bug', 'low',
        false, 'user', 'test', 'portal', 'session', ${sha}
      from unnest(${ids}::text[]) with ordinality as t (id, place), projects p where p.id = ${project.id}::uuid`;
    await db`update projects set next_number = next_number + ${count + 1} where id = ${project.id}::uuid`;
    await db`
      insert into ticket_roles (ticket_id, project_id, role, status)
      select id::uuid, ${project.id}::uuid, 'backend', 'done' from unnest(${ids}::text[]) as id`;
  });
}

async function timed(project: TestProject, count: number): Promise<{ ms: number; statements: number }> {
  const sha = newSha();
  await park(project, sha, count);
  const before = harness.now.statements.length;
  const started = performance.now();
  const { body } = await sendDeploy(harness.now, { repo: "acme/many", sha });
  const ms = performance.now() - started;
  expect(body).toEqual({ stamped: count, closed: count, ignored: false });
  // The queue and the embedded database do their maintenance at the same time.
  const statements = harness.now.statements.slice(before).filter((text) =>
    /tickets|deliveries|deploy/.test(text) && !/^vacuum|pgboss/.test(text)
  );
  return { ms, statements: statements.length };
}

const LEAST_ROUNDS = 3;
const MOST_ROUNDS = 20;

test("a sha with 1,000 parked tickets costs as many statements as one, and a small part of 1,000 times its time", async () => {
  const project = await makeProject(harness.now, { repositories: ["acme/many"] });
  await timed(project, 10); // the first call of a kind also prepares its statements
  const isSmall = (one: number, thousand: number) => thousand < 20 * one;
  // Other work of the machine can only make a call slower, so the best time of some rounds shows
  // the cost of the call itself.
  let [one, thousand] = [Infinity, Infinity];
  for (let round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || !isSmall(one, thousand)); round++) {
    const [few, many] = [await timed(project, 1), await timed(project, 1000)];
    expect(many.statements).toBe(few.statements);
    [one, thousand] = [Math.min(one, few.ms), Math.min(thousand, many.ms)];
  }
  expect([one, thousand]).toSatisfy(() => isSmall(one, thousand));
});
