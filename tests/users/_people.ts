import { makeUser, next, type TestUser } from "../factories.ts";
import { type Answer, type CallOptions, useHarness } from "../harness.ts";

/** Makes people and calls for the tests of one file. */
export function usePeople() {
  const harness = useHarness();

  function call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return harness.now.call(method, path, options);
  }

  /** Makes an admin of a new account. */
  function admin(): Promise<TestUser> {
    return makeUser(harness.now, { role: "admin" });
  }

  /** Returns the input that adds a user with an unused email. */
  function someone(fields: Record<string, unknown> = {}) {
    return { email: `someone${next()}@example.test`, name: "Some One", ...fields };
  }

  return { harness, call, admin, someone };
}
