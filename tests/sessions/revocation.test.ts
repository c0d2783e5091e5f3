import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { makeKey, makeMember, makeProject } from "../factories.ts";
import { type Harness, useHarness, useSecondHarness } from "../harness.ts";
import { until } from "../until.ts";
import { claimsOf, makePerson, signIn, statusOfMe } from "./sign_in.ts";

const harness = useHarness();
const second = useSecondHarness(harness);

/**
 * Checks that this process refuses the token at once, and the other within the promised five
 * seconds.
 */
async function refusedEverywhere(token: string): Promise<void> {
  expect(await statusOfMe(harness.now, token)).toBe(401);
  await until(async () => await statusOfMe(second.now, token) === 401, 5);
}

describe.concurrent("is refused by every process within five seconds", () => {
  test("an ended session", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    expect(await statusOfMe(second.now, access)).toBe(200);
    await harness.now.call("DELETE", `/auth/sessions/${claimsOf(access).sid}`, { token: person.admin.token });
    await refusedEverywhere(access);
  });

  test("a deactivated user, by session and by key", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    const { body: key } = await harness.now.call("POST", "/keys", { token: access });
    for (const token of [access, key.key]) expect(await statusOfMe(second.now, token)).toBe(200);
    await harness.now.call("DELETE", `/users/${person.id}`, { token: person.admin.token });
    for (const token of [access, key.key]) await refusedEverywhere(token);
  });

  test("a revoked key", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    const { body: key } = await harness.now.call("POST", "/keys", { token: access });
    expect(await statusOfMe(second.now, key.key)).toBe(200);
    await harness.now.call("DELETE", `/keys/${key.id}`, { token: access });
    await refusedEverywhere(key.key);
  });

  test("an admin who is one no longer, even when the project was read in between", async () => {
    const project = await makeProject(harness.now);
    const person = await makePerson(harness.now, { admin: project.admin, role: "admin" });
    const { access } = await signIn(harness.now, person);
    const read = async (where: Harness) => (await where.call("GET", project.path, { token: access })).status;
    const later = await makeProject(harness.now, { admin: project.admin });
    expect(await read(second.now)).toBe(200);
    await harness.now.call("PATCH", `/users/${person.id}`, {
      token: project.admin.token,
      body: { role: "member" },
    });
    expect(await read(harness.now)).toBe(403);
    // While the other process still remembers the admin, it meets a project that it remembers only
    // from now on.
    await pause(2_500);
    await second.now.call("GET", later.path, { token: access });
    await until(
      async () => (await second.now.call("GET", later.path, { token: access })).status === 403,
      2.5,
    );
  });

  test("a member whose role was taken away", async () => {
    const project = await makeProject(harness.now);
    const member = await makeMember(harness.now, project, "member");
    const { token } = await makeKey(harness.now, member);
    const read = async (where: Harness) => (await where.call("GET", project.path, { token })).status;
    expect(await read(second.now)).toBe(200);
    await harness.now.call("DELETE", `${project.path}/members/${member.id}`, { token: project.admin.token });
    expect(await read(harness.now)).toBe(403);
    await until(async () => await read(second.now) === 403, 5);
  });
});

test("what was read before a revocation and comes after it is not remembered", async () => {
  const { access } = harness.now.services;
  const late = Promise.withResolvers<string>();
  const first = access.get("key", () => late.promise);
  access.clear();
  late.resolve("before");
  expect(await first).toBe("before");
  expect(await access.get("key", () => Promise.resolve("after"))).toBe("after");
});
