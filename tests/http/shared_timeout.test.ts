import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setSharedTimeout } from "../../src/http/shared_timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("alarms ring once each, those too that are set while others ring, and leave no timer behind", async () => {
  const rung: string[] = [];
  setSharedTimeout(1000, () => {
    rung.push("first");
    setSharedTimeout(1000, () => rung.push("from the first"));
  });
  setSharedTimeout(1000, () => rung.push("second"));
  setSharedTimeout(3000, () => rung.push("last"));
  await vi.advanceTimersByTimeAsync(999);
  expect(rung).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(rung).toEqual(["first", "second", "from the first", "last"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a cancelled alarm doesn't ring, even when another one that is due with it cancels it", async () => {
  const ring = vi.fn();
  const cancels: (() => void)[] = [];
  setSharedTimeout(1000, () => cancels.forEach((cancel) => cancel()));
  cancels.push(setSharedTimeout(1000, ring), setSharedTimeout(2000, ring));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ring).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test("a cancelled alarm that is cancelled again takes no other along", async () => {
  const ring = vi.fn();
  const cancel = setSharedTimeout(1000, () => {});
  cancel();
  setSharedTimeout(1000, ring);
  cancel();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ring).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});
