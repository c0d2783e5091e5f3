import { describe, expect, test } from "vitest";
import type { TransactionSql } from "../../db/open.ts";
import { behindLock } from "../behind_lock.ts";
import { makeUser, next } from "../factories.ts";
import { login, makePerson, type Person, signIn, statusOfMe } from "../sessions/sign_in.ts";
import { usePeople } from "./_people.ts";

const { admin, call, harness, someone } = usePeople();

describe("an invitation", () => {
  async function invited() {
    const { token } = await admin();
    const input = someone();
    const { body } = await call("POST", "/users", { token, body: input });
    return { id: body.id, email: input.email, admin: token, token: new URL(body.invite_url).hash.slice(1) };
  }
  const invite = ({ id, admin: { token } }: Person) => call("POST", `/users/${id}/invitation`, { token });
  const lockUser = ({ id }: Person) => (tx: TransactionSql) =>
    tx`select from users where id = ${id}::uuid for update`;
  const accept = (token: string, password = "my own long password") =>
    call("POST", "/users/invitations/accept", {
      address: `10.5.0.${next() % 250}`,
      body: { token, password },
    });

  test("sets the first password once; then it signs in", async () => {
    const { token, email, id } = await invited();
    expect((await login(harness.now, { email, password: "" })).status).toBe(400);
    expect((await login(harness.now, { email, password: "my own long password" })).status).toBe(401);
    expect((await accept(token)).body).toMatchObject({ id, email });
    expect(await accept(token, "somebody else's password")).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect((await login(harness.now, { email, password: "my own long password" })).status).toBe(200);
  });

  test("works for one of ten at once", async () => {
    const { token, email } = await invited();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => accept(token, `password number ${index}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await login(harness.now, { email, password: `password number ${winner}` })).status).toBe(200);
  });

  test("ends after seven days, with its user, and is unknown to who guesses", async () => {
    const [late, gone] = [await invited(), await invited()];
    const [row] = await harness.now.sql`
      select extract(epoch from expires_at - created_at) / 86400 as days from invitations where user_id = ${late.id}::uuid`;
    expect(Number(row!.days)).toBe(7);
    await harness.now.sql`update invitations set expires_at = now() where user_id = ${late.id}::uuid`;
    expect((await accept(late.token)).status).toBe(404);
    await call("DELETE", `/users/${gone.id}`, { token: gone.admin });
    expect((await accept(gone.token)).status).toBe(404);
    await call("PATCH", `/users/${gone.id}`, { token: gone.admin, body: { deactivated: false } });
    expect((await accept(gone.token)).status).toBe(404);
    const guess = await accept("x".repeat(43));
    expect([guess.status, guess.headers.get("RateLimit-Policy")]).toEqual([404, '"invite";q=10;w=60']);
  });

  test("is nobody's way in any more once its user has another password or address", async () => {
    const [changed, moved] = [await makePerson(harness.now), await makePerson(harness.now)];
    const links = [];
    for (const person of [changed, moved]) {
      const { body } = await invite(person);
      links.push(new URL(body.invite_url).hash.slice(1));
    }
    const { access } = await signIn(harness.now, changed);
    const body = { current_password: changed.password, new_password: "another long password" };
    expect((await call("POST", "/auth/password", { token: access, body })).status).toBe(204);
    const email = `moved${next()}@example.test`;
    expect((await call("PATCH", `/users/${moved.id}`, { token: moved.admin.token, body: { email } })).status)
      .toBe(200);
    for (const link of links) expect((await accept(link)).status).toBe(404);
    expect((await login(harness.now, { email, password: moved.password })).status).toBe(200);
  });

  test("is nobody's way in any more once its user has another role or kind, but for a new name it stays", async () => {
    const root = await makeUser(harness.now, { role: "super_admin" });
    for (const change of [{ role: "super_admin" }, { kind: "bot" }]) {
      const { id, token } = await invited();
      const path = `/users/${id}`;
      expect((await call("PATCH", path, { token: root.token, body: change })).status).toBe(200);
      expect((await accept(token)).status).toBe(404);
    }
    const { id, token } = await invited();
    const body = { name: "Renamed", role: "member" };
    expect((await call("PATCH", `/users/${id}`, { token: root.token, body })).status).toBe(200);
    expect((await accept(token)).status).toBe(200);
  });

  test("of five that are made at once is the last", async () => {
    const person = await makePerson(harness.now);
    const made = await behindLock(harness.now, lockUser(person), ...Array(5).fill(() => invite(person)));
    expect(made.map(({ status }) => status)).toEqual(Array(5).fill(201));
    const answers = [];
    for (const { body } of made) answers.push(await accept(new URL(body.invite_url).hash.slice(1)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(4).fill(404)]);
  });

  test.each([[{ deactivated: true }, 409], [{ role: "super_admin" }, 403]])(
    "is not made for who became %j meanwhile",
    async (body, refusal) => {
      const person = await makePerson(harness.now);
      const { token } = await makeUser(harness.now, { role: "super_admin" });
      const answers = await behindLock(
        harness.now,
        lockUser(person),
        () => call("PATCH", `/users/${person.id}`, { token, body }),
        () => invite(person),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, refusal]);
    },
  );

  test("ends a sign-in by the old password that was under way", async () => {
    const person = await makePerson(harness.now);
    const { body } = await invite(person);
    const [signedIn, accepted] = await behindLock(
      harness.now,
      // The sign-in has made its session, but not ended.
      (tx) => tx`lock table audit_log in exclusive mode`,
      () => login(harness.now, person),
      () => accept(new URL(body.invite_url).hash.slice(1)),
    );
    expect([signedIn!.status, accepted!.status]).toEqual([200, 200]);
    expect(await statusOfMe(harness.now, signedIn!.body.access_token)).toBe(401);
  });

  test("with too short a password is not used up", async () => {
    const { token } = await invited();
    expect(Object.keys((await accept(token, "short")).body.fieldErrors)).toEqual(["password"]);
    expect((await accept(token)).status).toBe(200);
  });
});
