import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HealthCheck } from "../../db/health_check.ts";

const TICK_MS = 250;

let now = 0;
beforeEach(() => {
  now = 0;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Lets the check tick so many times, each as much later as the process was busy. */
async function tick(times: number, busyMs = 0): Promise<void> {
  for (let time = 0; time < times; time++) {
    now += TICK_MS + busyMs;
    await vi.advanceTimersByTimeAsync(TICK_MS);
  }
}

test("a database that is silent for five ticks is lost, but not while the process is too busy to listen", async () => {
  const answers: (() => void)[] = [];
  let silent = false;
  const check = new HealthCheck({
    ping: () => silent ? new Promise<void>((answer) => answers.push(answer)) : Promise.resolve(),
    drop: () => {},
  });
  await tick(2);
  silent = true;
  await tick(20, 500);
  expect(check.lost).toBe(false);
  answers.splice(0).forEach((answer) => answer());
  // The next ping comes with the third tick.
  await tick(7);
  expect(check.lost).toBe(false);
  await tick(1);
  expect(check.lost).toBe(true);
  silent = false;
  await tick(10);
  expect(check.lost).toBe(false);
  check.stop();
});
