import { expect, test, vi } from "vitest";
import { logged } from "../logged.ts";
import { describeError, log, logRequest, lostWrites, startLog } from "../../src/core/log.ts";

test("a line tells nothing of a field whose name says that it is secret, however deep it lies", async () => {
  const written = await logged(() => {
    log.info("a line", {
      plain: "to be read",
      password: "hidden",
      body: { refresh_token: "hidden", access_token: "hidden", user: { apiKey: "hidden" } },
      headers: { Authorization: "Bearer hidden", cookie: "session=hidden", "stripe-signature": "hidden" },
    });
  });
  expect(written).toContain("to be read");
  expect(written).not.toContain("hidden");
});

test("a long path is cut between two characters", async () => {
  const written = await logged(() => {
    const line = {
      request_id: "x",
      method: "GET",
      status: 404,
      code: "not_found",
      ms: 1,
      procedure: undefined,
    };
    logRequest({ ...line, path: `/${"🎫".repeat(500)}`, user_id: undefined, key_id: undefined });
    log.info("after it", {});
  });
  expect(JSON.parse(written.split("\n")[0]!).path.isWellFormed()).toBe(true);
});

test("an error is told with what caused it", () => {
  const cause = Object.assign(new Error("inner"), { code: "57P01" });
  expect(describeError(new Error("outer", { cause }))).toMatchObject({
    error: "Error: outer",
    cause: { error: "Error: inner", error_code: "57P01" },
  });
});

test("an error whose message is a whole page is told by its beginning, and where it was thrown", () => {
  const page = `<html>${"$& ".repeat(50_000)}</html>`;
  const { error, stack } = describeError(new Error(page)) as { error: string; stack: string };
  expect(error).toBe(`Error: ${page.slice(0, 1000)}`);
  expect(stack).toContain("log.test.ts");
  expect(stack.length).toBeLessThan(10_000);
  expect(JSON.stringify(describeError(new Error(`x${"🎫".repeat(1_000)}`)))).not.toContain("\\ud83c");
});

test("a copy of an error's fields is told as the error", () => {
  const error = Object.assign(new Error("no connection"), { code: "ECONNRESET" });
  const { message, stack } = error;
  expect(describeError({ ...error, message, stack, queue: "prune" })).toEqual(describeError(error));
});

test("a line that cannot be written is counted, and hinders nobody", async () => {
  const before = lostWrites();
  const stdout = vi.spyOn(Deno.stdout, "writeSync").mockImplementation(() => {
    throw new Error("no space left");
  });
  try {
    await startLog("info");
    log.info("a line", {});
  } finally {
    stdout.mockRestore();
    await startLog("off");
  }
  expect(lostWrites()).toBe(before + 1);
});
