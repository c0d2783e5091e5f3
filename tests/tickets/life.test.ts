import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { serverUrl } from "../database.ts";
import { type Harness, useHarness } from "../harness.ts";
import { launchService, startService } from "../service_process.ts";
import { until } from "../until.ts";
import { ACTORS, type Operation, ROLES, STAGES, step, TASK_STATUSES } from "./_life_model.ts";
import {
  makeLife,
  makeWorld,
  outcomeOf,
  seen,
  send,
  unexplained,
  visible,
  type World,
} from "./_life_world.ts";
import { readHistory, readThings, replay } from "./_replay.ts";

const harness = useHarness();

// Actors without any right are drawn only now and then.
const actor = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("admin" as const, "member" as const) },
  fc.constantFrom(...ACTORS),
);
const nth = fc.nat(4);
const flags = { skipRoles: fc.boolean(), skipGate: fc.boolean(), dryRun: fc.boolean() };
// Operations that lead to the gates and past them are drawn more often than others.
const stage = fc.oneof({ weight: 2, arbitrary: fc.constant("live" as const) }, fc.constantFrom(...STAGES));
const verdict = fc.oneof(
  { weight: 2, arbitrary: fc.constant("approved" as const) },
  fc.constant("rejected" as const),
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constant("patch" as const), actor, stage }),
  fc.record({ kind: fc.constant("bulk" as const), actor, stage, ...flags }),
  fc.record({
    kind: fc.constant("role" as const),
    actor,
    role: fc.constantFrom(...ROLES),
    action: fc.constantFrom("start" as const, "finish" as const, "skip" as const, "reopen" as const),
  }),
  fc.record({ kind: fc.constant("roles" as const), actor, roles: fc.subarray([...ROLES]) }),
  fc.record({ kind: fc.constant("addCase" as const), actor }),
  fc.record({ kind: fc.constantFrom("editCase" as const, "deleteCase" as const), actor, nth }),
  fc.record({ kind: fc.constant("decide" as const), actor, nth, verdict }),
  fc.record({ kind: fc.constant("addTask" as const), actor, nth, waits: fc.boolean() }),
  fc.record({ kind: fc.constant("setTask" as const), actor, nth, status: fc.constantFrom(...TASK_STATUSES) }),
  fc.record({
    kind: fc.constantFrom("claim" as const, "release" as const, "deleteTask" as const, "reorder" as const),
    actor,
    nth,
  }),
  fc.record({ kind: fc.constant("ask" as const), actor, nth, waits: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("answer" as const, "withdraw" as const), actor, nth }),
);

interface Life {
  roles: string[];
  tested: boolean;
  decides: boolean;
  operations: Operation[];
}

const life: fc.Arbitrary<Life> = fc.record({
  roles: fc.subarray([...ROLES], { maxLength: 1 }),
  tested: fc.boolean(),
  decides: fc.boolean(),
  operations: fc.array(operation, { minLength: 4, maxLength: 12, size: "max" }),
});

/** The embedded database runs the same rules in one process, at many times the processor time. */
const LIVES = serverUrl ? 1000 : 300;

/** The number of lives that are played at the same time. */
const AT_ONCE = 4;

async function live(world: World, { operations, ...start }: Life) {
  const { ticket, model } = await makeLife(world, start);
  for (const one of operations) {
    const answer = await send(world, ticket, model, one);
    expect(outcomeOf(answer)).toBe(step(model, one, answer));
  }
  const [things, rows] = await Promise.all([
    readThings(world.harness, world.project, ticket),
    readHistory(world.harness, world.project, ticket),
  ]);
  expect(seen(world, things)).toEqual(visible(model));
  expect(replay(rows)).toEqual(things);
  expect(unexplained(rows, replay)).toEqual([]);
}

async function liveMany(world: World, number: number): Promise<void> {
  const property = fc.asyncProperty(
    fc.array(life, { minLength: AT_ONCE, maxLength: AT_ONCE }),
    async (lives) => {
      await Promise.all(lives.map((one) => live(world, one)));
    },
  );
  await fc.assert(property, { numRuns: number / AT_ONCE });
}

test("the rules hold for any acts in any order, and history tells all of them", async () => {
  await liveMany(await makeWorld(harness.now), LIVES);
});

// The embedded database has one process.
if (serverUrl) {
  test("so they do when each call goes to the next of two processes, and a third runs the jobs", async () => {
    const world = await makeWorld(harness.now);
    const { place } = harness.now;
    const serving = await Promise.all([1, 2].map(() => startService(place, { JOBS: "off" })));
    const worker = launchService(place, { JOBS: "only" });
    let calls = 0;
    const call: Harness["call"] = (method, path, { body, token } = {}) =>
      serving[calls++ % 2]!.call(method, `/api${path}`, {
        body,
        headers: { authorization: `Bearer ${token}` },
      });
    onTestFinished(async () => {
      for (const process of [...serving, worker]) expect(await process.stop()).toBe(0);
    });
    await liveMany({ ...world, harness: { call, sql: harness.now.sql } as Harness }, 100);
    await until(() => worker.output.includes("runs its jobs"));
  });
}
