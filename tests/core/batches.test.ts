import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { Batches } from "../../src/core/batches.ts";

/** Work that ends when the test tells it to, and the items that it was given. */
function openWork(refused?: number) {
  const groups: number[][] = [];
  const ends: (() => void)[] = [];
  const work = async (items: number[]) => {
    groups.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (refused !== undefined && items.includes(refused)) throw new Error(`refused with ${items}`);
    return items.map((item) => item * 10);
  };
  /** Ends running work until no new work starts. */
  const endAll = async () => {
    while (ends.length > 0) {
      ends.shift()!();
      await pause(0);
    }
  };
  return { groups, work, endAll };
}

test("what comes while one is under way goes together as the next", async () => {
  const batches = new Batches();
  const { groups, work, endAll } = openWork();
  const results = [1, 2, 3, 4].map((item) => batches.join("lane", item, work));
  const other = batches.join("other", 5, work);
  await endAll();
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  expect(await other).toBe(50);
  expect(groups).toEqual([[1], [5], [2, 3, 4]]);
});

test("an idle lane starts again at once", async () => {
  const batches = new Batches();
  const { groups, work, endAll } = openWork();
  for (const item of [1, 2]) {
    const result = batches.join("lane", item, work);
    await endAll();
    expect(await result).toBe(item * 10);
  }
  expect(groups).toEqual([[1], [2]]);
});

test("a failed group is done one by one, so that only the bad one fails", async () => {
  const batches = new Batches();
  const { groups, work, endAll } = openWork(3);
  const results = Promise.allSettled([1, 2, 3, 4].map((item) => batches.join("lane", item, work)));
  await endAll();
  expect((await results).map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(groups).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
});

test.each([
  ["away", "CONNECTION_CLOSED"],
  ["overloaded", "57014"],
])("with the database %s a group fails as one and is not sent again", async (_, code) => {
  const batches = new Batches();
  const groups: number[][] = [];
  const work = async (items: number[]): Promise<number[]> => {
    groups.push(items);
    await Promise.resolve();
    throw Object.assign(new Error("gone"), { code });
  };
  const results = await Promise.allSettled([1, 2, 3].map((item) => batches.join("lane", item, work)));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(groups).toEqual([[1], [2, 3]]);
});
