import { expect, test } from "vitest";
import { systemContext } from "../../src/core/context.ts";
import { follower } from "../../src/core/follower.ts";
import { makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

const context = () => systemContext(harness.now.services, { kind: "job", id: "test" }, "test");

async function addFollower(name: string): Promise<void> {
  await harness.now.follow();
  await harness.now.sql`insert into event_followers (name, seq) select ${name}, last_seq from event_counter`;
}

async function positionOf(name: string): Promise<number> {
  const [row] = await harness.now.sql<
    [{ seq: number }]
  >`select seq from event_followers where name = ${name}`;
  return row.seq;
}

test("a follower handles each event once, in order and in parts", async () => {
  await addFollower("parts");
  const begin = await positionOf("parts");
  for (let n = 0; n < 3; n++) await makeTicket(harness.now, project);
  await harness.now.follow();
  const handled: number[] = [];
  const { catchUp } = follower("parts", (_, { after, last }) => {
    for (let seq = after + 1; seq <= last; seq++) handled.push(seq);
    return Promise.resolve();
  }, 2);
  expect(await catchUp(context())).toBe(true);
  expect(await catchUp(context())).toBe(true);
  const end = await positionOf("parts");
  expect(handled).toEqual(Array.from({ length: end - begin }, (_, index) => begin + 1 + index));
  expect(handled.length).toBeGreaterThanOrEqual(3);
});

test("what a failed step did is undone, and the same events come again", async () => {
  await addFollower("failing");
  await makeTicket(harness.now, project);
  await harness.now.follow();
  const before = await positionOf("failing");
  let fails = true;
  const { catchUp } = follower("failing", async ({ db }, { last }) => {
    await db`insert into event_followers (name, seq) values ('trace', ${last})`;
    if (fails) throw new Error("a step fails");
  });
  await expect(catchUp(context())).rejects.toThrow("a step fails");
  expect(await positionOf("failing")).toBe(before);
  fails = false;
  expect(await catchUp(context())).toBe(true);
  expect(await positionOf("trace")).toBe(await positionOf("failing"));
});

test("while one process works for a follower, another one leaves the work to it", async () => {
  await addFollower("shared");
  await makeTicket(harness.now, project);
  await harness.now.follow();
  let calls = 0;
  const { catchUp } = follower("shared", () => Promise.resolve(void calls++));
  await Promise.all([catchUp(context()), catchUp(context())]);
  expect(calls).toBe(1);
});
