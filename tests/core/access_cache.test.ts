import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Sql } from "../../db/open.ts";
import { AccessCache } from "../../src/core/access_cache.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

test("what is remembered is as old as the beginning of its reading", async () => {
  const cache = new AccessCache({} as Sql);
  await cache.get("key", () => {
    vi.advanceTimersByTime(2_000);
    return Promise.resolve("slow");
  });
  vi.advanceTimersByTime(1_500);
  expect(await cache.get("key", () => Promise.resolve("anew"))).toBe("anew");
});

test("calls of one moment share a read, unless a right was changed between them", async () => {
  const cache = new AccessCache({} as Sql);
  const reads: ((value: string) => void)[] = [];
  const get = () => cache.get("key", () => new Promise<string>((resolve) => reads.push(resolve)));
  const before = [get(), get()];
  cache.clear();
  const after = [get(), get()];
  expect(reads).toHaveLength(2);
  reads[1]!("after");
  expect(await Promise.all(after)).toEqual(["after", "after"]);
  reads[0]!("before");
  expect(await Promise.all(before)).toEqual(["before", "before"]);
  expect(await get()).toBe("after");
});

test("a read that fails fails for all who share it, and is not remembered", async () => {
  const cache = new AccessCache({} as Sql);
  const fail = () => cache.get("key", () => Promise.reject(new Error("away")));
  for (const { status } of await Promise.allSettled([fail(), fail()])) expect(status).toBe("rejected");
  expect(await cache.get("key", () => Promise.resolve("back"))).toBe("back");
});

test("no more is remembered than has its place", async () => {
  const cache = new AccessCache({} as Sql);
  for (let n = 0; n <= AccessCache.MAX_ENTRIES; n++) {
    await cache.get(String(n), () => Promise.resolve("first"));
  }
  expect(await cache.get("0", () => Promise.resolve("anew"))).toBe("anew");
});
