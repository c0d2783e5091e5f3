import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Services } from "../../src/core/context.ts";
import { AppError } from "../../src/core/errors.ts";
import { toAppError } from "../../src/core/failures.ts";
import { log } from "../../src/core/log.ts";
import { readBody } from "../../src/http/body.ts";
import { deadline } from "../../src/http/deadline.ts";
import { logFailure } from "../../src/http/failure.ts";
import type { HttpEnv } from "../../src/http/request.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A route that waits for ever, over a database that can be lost. */
function openRoute() {
  const listeners: (() => void)[] = [];
  const databaseHealth = { lost: false, onLoss: (listener: () => void) => void listeners.push(listener) };
  const lose = () => listeners.forEach((listener) => listener());
  const waits = vi.fn(() => new Promise<Response>(() => {}));
  const app = new Hono<HttpEnv>();
  app.use(deadline({ databaseHealth } as unknown as Services));
  app.get("/waits", waits);
  app.get("/answers", (c) => c.text("done"));
  app.onError((thrown, c) => c.text(toAppError(thrown).code, toAppError(thrown).status as 503));
  const get = async (path: string) => {
    const response = await app.request(path);
    return `${response.status} ${await response.text()}`;
  };
  return { get, databaseHealth, waits, lose };
}

describe("a call", () => {
  test("is answered at once when the database that it waits for is lost", async () => {
    const { get, waits, lose } = openRoute();
    const answer = get("/waits");
    await vi.waitFor(() => expect(waits).toHaveBeenCalled());
    lose();
    expect(await answer).toBe("503 unavailable");
  });

  test("is refused while the database is lost, and served again when it is back", async () => {
    const { get, databaseHealth } = openRoute();
    databaseHealth.lost = true;
    expect(await get("/answers")).toBe("503 unavailable");
    databaseHealth.lost = false;
    expect(await get("/answers")).toBe("200 done");
  });

  test("is answered after half a minute, no matter what it waits for, and leaves nothing behind", async () => {
    const { get } = openRoute();
    const answer = get("/waits");
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await answer).toBe("503 unavailable");
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("an outage is told of each call without a stack, and a fault with one", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const shut = Object.assign(new Error("takes no connections"), { code: "55000", severity: "FATAL" });
  const timeout = Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" });
  const failures = [refused, shut, new AppError("unavailable", "lost"), timeout, new Error("a fault")];
  const logged = vi.spyOn(log, "error").mockReturnValue();
  for (const [index, failure] of failures.entries()) logFailure(`${index}`, toAppError(failure));
  const lines = [...logged.mock.calls] as unknown as [string, Record<string, unknown>][];
  logged.mockRestore();
  expect(lines.map(([, { error, stack }]) => [error, stack !== undefined])).toEqual([
    ["Error: connect ECONNREFUSED", false],
    ["Error: takes no connections", false],
    ["AppError: lost", false],
    ["Error: canceling statement due to lock timeout", true],
    ["Error: a fault", true],
  ]);
});

describe("a body", () => {
  function send(body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Promise<unknown> {
    const request = new Request("http://handoff.test", { method: "POST", headers, body });
    return readBody(request, 1000).catch((error: unknown) => error);
  }

  test.each([{}, { "content-length": "100" }])("that never ends is refused in time %o", async (headers) => {
    const half = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
    const failure = send(half, headers);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await failure).toMatchObject({
      code: "request_timeout",
      fields: { headers: { Connection: "close" } },
    });
  });

  test.each([{}, { "content-length": "100" }])(
    "whose client goes away is no fault of the service %o",
    async (headers) => {
      const broken = new ReadableStream({
        pull: (controller) => controller.error(new Error("connection reset")),
      });
      expect(await send(broken, headers)).toMatchObject({ code: "request_timeout", status: 408 });
    },
  );

  test("is read byte for byte, and leaves no timer behind", async () => {
    const bytes = new Uint8Array([0, 255, 10, 13]);
    const whole = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 1));
        controller.enqueue(bytes.subarray(1));
        controller.close();
      },
    });
    expect(await send(whole)).toEqual(bytes);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("is not kept in the chunks that it came in, which hold far more memory than their bytes", async () => {
    const reused = new Uint8Array(1);
    const oneByOne = new ReadableStream({
      pull(controller) {
        if (++reused[0]! > 200) return controller.close();
        controller.enqueue(reused);
      },
    }, { highWaterMark: 0 });
    expect(await send(oneByOne)).toEqual(Uint8Array.from({ length: 200 }, (_, index) => index + 1));
  });
});
