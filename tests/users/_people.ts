import { makeUser, next, type TestUser } from "../factories.ts";
import { type Answer, type CallOptions, useHarness } from "../harness.ts";

export const harness = useHarness();

export function call(method: string, path: string, options?: CallOptions): Promise<Answer> {
  return harness.now.call(method, path, options);
}

/** Of an account of its own. */
export function admin(): Promise<TestUser> {
  return makeUser(harness.now, { role: "admin" });
}

/** What adds a user whose email nobody has. */
export function someone(fields: Record<string, unknown> = {}) {
  return { email: `someone${next()}@example.test`, name: "Some One", ...fields };
}
