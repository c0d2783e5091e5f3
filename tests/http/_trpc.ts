import superjson from "superjson";
import { expect } from "vitest";
import { expectError } from "./_calls.ts";

export interface Sent {
  status: number;
  headers: Headers;
  // The test's assertions check the fields of an answer that it reads.
  // deno-lint-ignore no-explicit-any
  body: any;
}

/** Checks the error body, which is REST's, and tRPC's own view of it. */
export function expectTrpcError({ status, body, headers }: Sent, expected: number, code: string): void {
  const { data, message } = superjson.deserialize<{ data: Record<string, unknown>; message: string }>(
    body.error,
  );
  expect(Object.keys(data).sort()).toEqual(["body", "code", "httpStatus"]);
  expect(data["httpStatus"]).toBe(expected);
  expectError({ status, body: data["body"], headers }, expected, code);
  expect(message).toBe((data["body"] as { error: string }).error);
}
