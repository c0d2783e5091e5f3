import fc from "fast-check";
import { expect, test } from "vitest";
import { serverUrl } from "../database.ts";
import { makeProject, makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
/** The embedded database follows the same rules in one process, at many times the processor time. */
const DROPS = serverUrl ? 10_000 : 2_000;
/** The drops between two runs of the job. */
const JOB_EVERY = 1_000;

async function some(project: TestProject, count: number): Promise<TestTicket[]> {
  return await Promise.all(Array.from({ length: count }, () => makeTicket(harness.now, project)));
}

async function place({ admin }: TestProject, { path }: TestTicket, body: object): Promise<number> {
  return (await harness.now.call("POST", `${path}/place`, { token: admin.token, body })).status;
}

async function order({ path, admin }: TestProject): Promise<string[]> {
  const { body } = await harness.now.call("GET", `${path}/tickets?sort=rank&limit=200`, {
    token: admin.token,
  });
  return body.tickets.map(({ id }: { id: string }) => id);
}

async function longest({ id }: TestProject): Promise<number> {
  const [row] = await harness.now.sql<[{ length: number }]>`
    select max(length(rank)) as length from tickets where project_id = ${id}::uuid`;
  return row.length;
}

test(`goes on through ${DROPS} drops at one place, with and without the job that makes keys short`, async () => {
  const project = await makeProject(harness.now);
  const [anchor, ...others] = await some(project, 6);
  let most = 0;
  for (let drop = 0; drop < DROPS; drop++) {
    const dropped = others[drop % others.length]!;
    expect(await place(project, dropped, { after: anchor!.ref })).toBe(200);
    if (drop % JOB_EVERY === JOB_EVERY - 1) {
      const [first, second] = (await order(project)).slice(-6);
      expect([first, second]).toEqual([anchor!.id, dropped.id]);
      most = Math.max(most, await longest(project));
      if (drop > DROPS / 2) await harness.now.work("rebalance-ranks");
    }
  }
  expect(most).toBeGreaterThan(60);
  expect(most).toBeLessThanOrEqual(200);
  expect(await longest(project)).toBeLessThanOrEqual(60);
});

test("random placements, one after the other, give the order that a list in memory has", async () => {
  const project = await makeProject(harness.now);
  const tickets = await some(project, 8);
  const nth = fc.nat(7);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(nth, nth, fc.boolean()), { maxLength: 12 }), async (moves) => {
      const model = await order(project);
      for (const [one, other, isBefore] of moves.filter(([one, other]) => one !== other)) {
        const [moved, anchor] = [tickets[one]!, tickets[other]!];
        expect(await place(project, moved, { [isBefore ? "before" : "after"]: anchor.id })).toBe(200);
        model.splice(model.indexOf(moved.id), 1);
        model.splice(model.indexOf(anchor.id) + (isBefore ? 0 : 1), 0, moved.id);
      }
      expect(await order(project)).toEqual(model);
    }),
    { numRuns: 100 },
  );
});
