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

test("no more is remembered than has its place", async () => {
  const cache = new AccessCache({} as Sql);
  for (let n = 0; n <= AccessCache.MAX_ENTRIES; n++) {
    await cache.get(String(n), () => Promise.resolve("first"));
  }
  expect(await cache.get("0", () => Promise.resolve("anew"))).toBe("anew");
});
