import { expect, test } from "vitest";
import { systemContext } from "../../src/core/context.ts";
import { transact } from "../../src/core/transact.ts";
import { bestTimes } from "../best_times.ts";
import { makeProject, makeTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

test("the history of many rows costs in proportion to them, also where the session changed a single row before", async () => {
  const project = await makeProject(harness.now);
  const ticket = await makeTicket(harness.now, project);
  const author = systemContext(harness.now.services, { kind: "job", id: "test" }, "many");
  // Eight times as many rows have 64 times as many pairs.
  const inProportion = ([few, many]: number[]) => many! < 20 * few!;
  // A transaction stays in one session, which keeps the plans of its first change.
  const times = await transact(author, async ({ db }) => {
    await db`
      insert into test_cases (id, ticket_id, project_id, title, instruction)
      select gen_random_uuid(), ${ticket.id}::uuid, ${project.id}::uuid, 'Case ' || n, 'Look.'
      from generate_series(1, 4000) n`;
    const rename = (count: number) => async (round: number) => {
      const renamed = await db`
        update test_cases set title = ${`Round ${round}`}
        where id in (select id from test_cases where ticket_id = ${ticket.id}::uuid order by id limit ${count})`;
      expect(renamed.count).toBe(count);
    };
    await rename(1)(-1);
    return await bestTimes([rename(500), rename(4000)], inProportion);
  });
  expect(times).toSatisfy(inProportion);
});
