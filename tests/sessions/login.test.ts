import { describe, expect, test } from "vitest";
import { hashPassword } from "../../src/core/passwords.ts";
import { behindLock } from "../behind_lock.ts";
import { bestTimes } from "../best_times.ts";
import { makeUser, next } from "../factories.ts";
import { type Answer, type Harness, openHarness, useHarness } from "../harness.ts";
import { claimsOf, freshAddress, login, makePerson, signIn, statusOfMe } from "./sign_in.ts";

const harness = useHarness();

describe("signing in", () => {
  test("answers a token pair that lasts 900 seconds, not to be stored", async () => {
    const person = await makePerson(harness.now);
    const { status, body, headers } = await login(harness.now, person);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["access_token", "expires_in", "refresh_token"]);
    expect(body.expires_in).toBe(900);
    expect(headers.get("cache-control")).toBe("no-store");
    const { sub, sid, iat, exp } = claimsOf(body.access_token);
    expect(sub).toBe(person.id);
    expect(Number(exp) - Number(iat)).toBe(900);
    const [session] = await harness.now.sql`select user_id from sessions where id = ${String(sid)}::uuid`;
    expect(session).toEqual({ user_id: person.id });
    expect(await statusOfMe(harness.now, body.access_token)).toBe(200);
  });

  test("takes the email in any case and with blanks around it, and the password only as it is", async () => {
    const person = await makePerson(harness.now);
    const shouted = { email: ` ${person.email.toUpperCase()} `, password: person.password };
    expect((await login(harness.now, shouted)).status).toBe(200);
    expect((await login(harness.now, { ...person, password: person.password.toUpperCase() })).status).toBe(
      401,
    );
    expect((await login(harness.now, { ...person, password: `${person.password} ` })).status).toBe(401);
  });

  test("sets the session cookie with the access token in it", async () => {
    const { body, headers } = await login(harness.now, await makePerson(harness.now));
    const { value, attributes } = cookieOf(headers);
    expect(value).toBe(body.access_token);
    expect(attributes).toEqual(expect.arrayContaining(["HttpOnly", "SameSite=Lax", "Path=/"]));
    expect(attributes).not.toContain("Secure");
    const me = await harness.now.call("GET", "/auth/me", { headers: { cookie: `session=${value}` } });
    expect(me.status).toBe(200);
  });

  test("marks the cookie Secure when the service is reached by https", async () => {
    const secure = await openHarness({ env: { PUBLIC_URL: "https://handoff.test" } });
    try {
      const { headers } = await login(secure, await makePerson(secure));
      expect(cookieOf(headers).attributes).toContain("Secure");
    } finally {
      await secure.close();
    }
  });

  test("stores no token and no password as it was sent", async () => {
    const person = await makePerson(harness.now);
    const { access, refresh } = await signIn(harness.now, person);
    const dump = await everyRow(harness.now);
    expect(dump).toContain(person.email);
    for (const secret of [access, refresh, person.password]) {
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(new TextEncoder().encode(secret).toHex());
    }
  });

  test("is written to the audit log, refused attempts too", async () => {
    const person = await makePerson(harness.now);
    await login(harness.now, { ...person, password: "wrong password" });
    await login(harness.now, { email: "nobody@example.test", password: "wrong password" });
    await login(harness.now, person);
    const known = await harness.now.sql`
      select action from audit_log where account_id = ${person.accountId}::uuid and action like 'session.%' order by id`;
    expect(known.map(({ action }) => action)).toEqual(["session.refused", "session.started"]);
    const [unknown] = await harness.now.sql`
      select count(*) as rows from audit_log where account_id is null and action = 'session.refused'`;
    expect(unknown).toEqual({ rows: 1 });
  });

  test("counts for no limit, and makes no refusal forgotten", async () => {
    const person = await makePerson(harness.now);
    const wrong = { ...person, password: "wrong password" };
    for (let i = 0; i < 9; i++) expect((await login(harness.now, wrong)).status).toBe(401);
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await login(harness.now, person);
      expect(status).toBe(200);
      expect(headers.get("ratelimit")).toMatch(/^"login-email";r=1;/);
    }
    expect((await login(harness.now, wrong)).status).toBe(401);
    expect((await login(harness.now, person)).status).toBe(429);
  });

  test("with the right password refuses nobody at the same address, however many at once", async () => {
    const address = freshAddress();
    const [person, colleague] = [await makePerson(harness.now), await makePerson(harness.now)];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => login(harness.now, n % 2 ? person : colleague, { address })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await login(harness.now, colleague, { address })).status).toBe(200);
  });

  test("is refused to who is deactivated while it waits for that", async () => {
    const person = await makePerson(harness.now);
    const [answer] = await behindLock(
      harness.now,
      (tx) => tx`update users set deactivated_at = now() where id = ${person.id}::uuid`,
      () => login(harness.now, person),
    );
    expect([answer!.status, answer!.body.code]).toEqual([401, "invalid_credentials"]);
  });

  test("is refused to who gets another password while it waits for that", async () => {
    const person = await makePerson(harness.now);
    const hash = await hashPassword("another long password");
    const [answer] = await behindLock(
      harness.now,
      (tx) => tx`update users set password_hash = ${hash} where id = ${person.id}::uuid`,
      () => login(harness.now, person),
    );
    expect([answer!.status, answer!.body.code]).toEqual([401, "invalid_credentials"]);
    const audit = await harness.now.sql`
      select action from audit_log where target_id = ${person.id} and action like 'session.%'`;
    expect([...audit]).toEqual([{ action: "session.refused" }]);
  });
});

describe("a refused sign-in", () => {
  test("is the same 401 for an unknown email, a wrong password, a deactivated user, one without a password", async () => {
    const person = await makePerson(harness.now);
    const gone = await makePerson(harness.now);
    await harness.now.call("DELETE", `/users/${gone.id}`, { token: gone.admin.token });
    const invited = await makeUser(harness.now);
    const answers = [
      await login(harness.now, { email: "nobody@example.test", password: "wrong password" }),
      await login(harness.now, { ...person, password: "wrong password" }),
      await login(harness.now, gone),
      await login(harness.now, { ...invited, password: "wrong password" }),
    ];
    for (const answer of answers) expect(visible(answer)).toEqual(visible(answers[0]!));
    expect(answers[0]).toMatchObject({
      status: 401,
      body: { code: "invalid_credentials", error: "Email or password is wrong" },
    });
    expect(answers[0]!.headers.has("set-cookie")).toBe(false);
  });

  test("takes the same time and the same statements whether or not the email is known", async () => {
    const person = await makePerson(harness.now);
    const wrong = () => login(harness.now, { ...person, password: "wrong password" });
    const known = async () => {
      // One email takes ten attempts.
      person.email = `known${next()}@example.test`;
      await harness.now.sql`update users set email = ${person.email} where id = ${person.id}::uuid`;
      await wrong();
    };
    const unknown = () =>
      login(harness.now, { email: `nobody${next()}@example.test`, password: "wrong password" });
    const alike = ([one, other]: number[]) => Math.max(one!, other!) < 2 * Math.min(one!, other!);
    expect(await bestTimes([known, unknown], alike)).toSatisfy(alike);
    const fewest = async (attempt: () => Promise<unknown>) =>
      Math.min(await harness.now.count(attempt), await harness.now.count(attempt));
    expect(await fewest(unknown)).toBe(await fewest(wrong));
  });

  test("comes with the limit's fields after ten attempts on one email, from any address", async () => {
    const person = await makePerson(harness.now);
    person.email = `iσ_${person.email}`;
    await harness.now.sql`update users set email = ${person.email} where id = ${person.id}::uuid`;
    const answers: Answer[] = [];
    for (let i = 0; i < 11; i++) {
      answers.push(await login(harness.now, { ...person, password: "wrong password" }));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429]);
    const { body, headers } = answers[10]!;
    expect(body.code).toBe("rate_limited");
    expect(headers.get("retry-after")).toBe(String(body.retryAfter));
    expect(headers.get("ratelimit-policy")).toBe('"login-email";q=10;w=300');
    // An email in another case is the same email. So is one in letters that the database
    // lower-cases to the same.
    for (const email of [person.email.toUpperCase(), person.email.replace("i", "\u0130")]) {
      expect((await login(harness.now, { email, password: person.password })).status).toBe(429);
    }
    const many = () => Promise.all(Array.from({ length: 20 }, () => login(harness.now, person)));
    expect(await harness.now.count(many)).toBe(0);
  });

  test("comes after thirty refusals of one address, on any email", async () => {
    const address = freshAddress();
    const person = await makePerson(harness.now);
    for (let i = 0; i < 2; i++) expect((await login(harness.now, person, { address })).status).toBe(200);
    const statuses = new Map<number, number>();
    for (let i = 0; i < 31; i++) {
      const { status } = await login(harness.now, { email: `x${i}@example.test`, password: "wrong" }, {
        address,
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 30, 429: 1 });
  });

  test("is counted for every attempt, also of many at once", async () => {
    const person = await makePerson(harness.now);
    const guesses = Array.from({ length: 30 }, () => login(harness.now, { ...person, password: "wrong" }));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    const address = freshAddress();
    const emails = Array.from({ length: 60 }, (_, n) => ({ email: `z${n}@example.test`, password: "wrong" }));
    const refused = await Promise.all(emails.map((one) => login(harness.now, one, { address })));
    const guessed = refused.filter(({ status }) => status === 401).length;
    // Four are checked at the same time, so a few more than thirty may be on their way.
    expect(guessed).toBeGreaterThanOrEqual(30 - 3);
    expect(guessed).toBeLessThanOrEqual(30);
    expect(await harness.now.count(() => login(harness.now, person, { address }))).toBe(0);
  });

  test("from an address that tried too often uses up nobody's attempts", async () => {
    const person = await makePerson(harness.now);
    const address = freshAddress();
    for (let i = 0; i < 30; i++) {
      await login(harness.now, { email: `y${i}@example.test`, password: "wrong" }, { address });
    }
    for (let i = 0; i < 11; i++) {
      expect((await login(harness.now, { ...person, password: "wrong" }, { address })).status).toBe(429);
    }
    expect((await login(harness.now, person, { address: freshAddress() })).status).toBe(200);
  });

  test("of a password that was changed in the middle gives no session", async () => {
    const person = await makePerson(harness.now);
    const { access } = await signIn(harness.now, person);
    const changed = { current_password: person.password, new_password: "another long password" };
    const [change, late] = await Promise.all([
      harness.now.call("POST", "/auth/password", { token: access, body: changed }),
      login(harness.now, person),
    ]);
    expect(change.status).toBe(204);
    const live = await harness.now.sql`
      select id from sessions where user_id = ${person.id}::uuid and revoked_at is null`;
    // Either the sign-in came too late, or its session was ended with the others.
    if (late.status === 200) expect(await statusOfMe(harness.now, late.body.access_token)).toBe(401);
    expect(live.map(({ id }) => id)).toEqual([claimsOf(access).sid]);
  });

  test.each([
    ["no password", { email: "a@example.test" }, ["password"]],
    ["no email", { password: "a long password" }, ["email"]],
    ["an unknown field", { email: "a@example.test", password: "a long password", remember: true }, [
      "remember",
    ]],
    ["NUL in the email", { email: "a\0@example.test", password: "a long password" }, ["email"]],
    ["a lone surrogate in the email", { email: "a\ud800@example.test", password: "a long password" }, [
      "email",
    ]],
    ["an email that is a list", { email: ["a@example.test"], password: "a long password" }, ["email"]],
    ["too long a password", { email: "a@example.test", password: "x".repeat(1001) }, ["password"]],
  ])("with %s is a 400 that names the field", async (_, body, fields) => {
    const answer = await harness.now.call("POST", "/auth/login", { address: freshAddress(), body });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.fieldErrors)).toEqual(fields);
  });

  test("with NUL in the password, or the longest email, is an ordinary 401", async () => {
    const longest = `${"x".repeat(241)}@example.test`;
    expect(longest).toHaveLength(254);
    expect((await login(harness.now, { email: longest, password: "wrong" })).status).toBe(401);
    expect((await login(harness.now, { email: "nobody@example.test", password: "wr\0ng" })).status).toBe(401);
    const [counted] = await harness.now
      .sql`select count(*) as rows from rate_limits where key like 'login-email:%'`;
    expect(counted!.rows).toBeGreaterThan(0);
  });
});

function cookieOf(headers: Headers): { value: string; attributes: string[] } {
  const [cookie] = headers.getSetCookie();
  const [pair = "", ...attributes] = (cookie ?? "").split("; ");
  expect(pair.startsWith("session=")).toBe(true);
  return { value: pair.slice("session=".length), attributes };
}

/** The parts by which a caller can tell one refusal from another, without ids and times. */
function visible({ status, body, headers }: Answer) {
  const { requestId: _, ...rest } = body;
  const names = [...headers.keys()].filter((name) => !["x-request-id", "ratelimit"].includes(name));
  return { status, body: rest, names };
}

/** Every row of every table as text. */
async function everyRow({ sql }: Harness): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`;
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe<{ row: string }[]>(`select row_to_json(t)::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join("\n");
}
