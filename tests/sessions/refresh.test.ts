import { describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { useHarness } from "../harness.ts";
import {
  claimsOf,
  login,
  makePerson,
  type Person,
  refresh,
  type SignedIn,
  signIn,
  statusOfMe,
} from "./sign_in.ts";

const harness = useHarness();

async function signedIn(): Promise<{ person: Person; first: SignedIn; sessionId: string }> {
  const person = await makePerson(harness.now);
  const first = await signIn(harness.now, person);
  return { person, first, sessionId: String(claimsOf(first.access).sid) };
}

/** Sets back the time at which the session's used tokens were used. */
async function ageUse(sessionId: string, seconds: number): Promise<void> {
  await harness.now.sql`
    update refresh_tokens set used_at = used_at - make_interval(secs => ${seconds})
    where session_id = ${sessionId}::uuid and used_at is not null`;
}

function auditOf(sessionId: string) {
  return harness.now.sql`
    select action, details ->> 'user_id' as user_id from audit_log
    where target_id = ${sessionId} and action = 'session.token_reused'`;
}

describe("refreshing", () => {
  test("trades the token for another pair of the same session, not to be stored", async () => {
    const { first, sessionId } = await signedIn();
    const { status, body, headers } = await refresh(harness.now, first.refresh);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["access_token", "expires_in", "refresh_token"]);
    expect(body.refresh_token).not.toBe(first.refresh);
    expect(claimsOf(body.access_token).sid).toBe(sessionId);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await statusOfMe(harness.now, body.access_token)).toBe(200);
  });

  test("needs no Authorization header, and a useless one does no harm", async () => {
    const { first } = await signedIn();
    const answer = await refresh(harness.now, first.refresh, { token: "rubbish" });
    expect(answer.status).toBe(200);
  });

  test("stores tokens of 256 bits as SHA-256 only", async () => {
    const { first, sessionId } = await signedIn();
    expect(first.refresh).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const hash = new Uint8Array(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(first.refresh)),
    );
    const rows = await harness.now.sql`
      select encode(token_hash, 'hex') as hash from refresh_tokens where session_id = ${sessionId}::uuid`;
    expect(rows).toEqual([{ hash: hash.toHex() }]);
  });

  test("renews the cookie when one came, though it holds an expired token, and sets none otherwise", async () => {
    const { first } = await signedIn();
    const without = await refresh(harness.now, first.refresh);
    expect(without.headers.has("set-cookie")).toBe(false);
    const with_ = await refresh(harness.now, without.body.refresh_token, {
      headers: { cookie: "session=old" },
    });
    expect(with_.headers.get("set-cookie")).toContain(`session=${with_.body.access_token};`);
  });

  test("lets the cookie outlive the access token, so that it can be renewed", async () => {
    const { headers } = await login(harness.now, await makePerson(harness.now));
    const age = Number(/Max-Age=(\d+)/.exec(headers.get("set-cookie")!)?.[1]);
    expect(age).toBe(30 * 24 * 3600);
  });

  test("gives 20 tabs that come at once a working pair each", async () => {
    const { first, sessionId } = await signedIn();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(harness.now, first.refresh)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(20);
    for (const { body } of answers) {
      expect(await statusOfMe(harness.now, body.access_token)).toBe(200);
      expect((await refresh(harness.now, body.refresh_token)).status).toBe(200);
    }
    expect(await auditOf(sessionId)).toHaveLength(0);
  });
});

test("a refresh of a session that ends while it waits for that gives no pair", async () => {
  const { first, sessionId } = await signedIn();
  const [answer] = await behindLock(
    harness.now,
    (tx) => tx`update sessions set revoked_at = now() where id = ${sessionId}::uuid`,
    () => refresh(harness.now, first.refresh),
  );
  expect([answer!.status, answer!.body.code]).toEqual([401, "unauthenticated"]);
});

describe("a rotated token", () => {
  test("gets a working pair again within 30 seconds, and nobody is signed out", async () => {
    const { first, sessionId } = await signedIn();
    const second = await refresh(harness.now, first.refresh);
    await ageUse(sessionId, 27);
    const again = await refresh(harness.now, first.refresh);
    expect(again.status).toBe(200);
    for (const { body } of [second, again]) {
      expect(await statusOfMe(harness.now, body.access_token)).toBe(200);
      expect((await refresh(harness.now, body.refresh_token)).status).toBe(200);
    }
  });

  test("is counted from its first use, however often it comes", async () => {
    const { first, sessionId } = await signedIn();
    await refresh(harness.now, first.refresh);
    await ageUse(sessionId, 20);
    expect((await refresh(harness.now, first.refresh)).status).toBe(200);
    await ageUse(sessionId, 11);
    expect((await refresh(harness.now, first.refresh)).body.code).toBe("token_reused");
  });

  test("ends the whole session when it comes later: 401 token_reused, with a line in the audit log", async () => {
    const { person, first, sessionId } = await signedIn();
    const second = await refresh(harness.now, first.refresh);
    const third = await refresh(harness.now, second.body.refresh_token);
    expect(await statusOfMe(harness.now, third.body.access_token)).toBe(200);
    await ageUse(sessionId, 31);
    const stolen = await refresh(harness.now, first.refresh);
    expect(stolen).toMatchObject({ status: 401, body: { code: "token_reused" } });
    for (const token of [first.access, second.body.access_token, third.body.access_token]) {
      expect(await statusOfMe(harness.now, token)).toBe(401);
    }
    const newest = await refresh(harness.now, third.body.refresh_token);
    expect(newest).toMatchObject({
      status: 401,
      body: { code: "unauthenticated", error: "The session has ended" },
    });
    expect((await refresh(harness.now, first.refresh)).body.code).toBe("token_reused");
    expect(await auditOf(sessionId)).toEqual([{ action: "session.token_reused", user_id: person.id }]);
  });

  test("takes the cookie of what is over along, and of an unknown token none", async () => {
    const { first, sessionId } = await signedIn();
    const taken = async (token: string) =>
      (await refresh(harness.now, token, { headers: { cookie: first.cookie } })).headers.get("set-cookie");
    expect(await taken("rubbish")).toBeNull();
    await harness.now.sql`update sessions set revoked_at = now() where id = ${sessionId}::uuid`;
    expect(await taken(first.refresh)).toMatch(/^session=; .*Max-Age=0/);
    expect((await refresh(harness.now, first.refresh)).headers.get("set-cookie")).toBeNull();
  });

  test("ends its own session and no other of the user", async () => {
    const { person, first, sessionId } = await signedIn();
    const other = await signIn(harness.now, person);
    await refresh(harness.now, first.refresh);
    await ageUse(sessionId, 31);
    await refresh(harness.now, first.refresh);
    expect(await statusOfMe(harness.now, first.access)).toBe(401);
    expect(await statusOfMe(harness.now, other.access)).toBe(200);
    expect((await refresh(harness.now, other.refresh)).status).toBe(200);
  });

  test("leaves one line in the audit log when ten of it come at once", async () => {
    const { first, sessionId } = await signedIn();
    await refresh(harness.now, first.refresh);
    await ageUse(sessionId, 31);
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(harness.now, first.refresh)));
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(["token_reused"]));
    expect(await auditOf(sessionId)).toHaveLength(1);
  });

  test("is a theft even when it has expired since", async () => {
    const { first, sessionId } = await signedIn();
    const second = await refresh(harness.now, first.refresh);
    await ageUse(sessionId, 31 * 24 * 3600);
    await harness.now.sql`
      update refresh_tokens set expires_at = now() - interval '1 day'
      where session_id = ${sessionId}::uuid and used_at is not null`;
    expect((await refresh(harness.now, first.refresh)).body.code).toBe("token_reused");
    expect(await statusOfMe(harness.now, second.body.access_token)).toBe(401);
  });
});

describe("a refresh token", () => {
  test("lives 30 days without use, and its session 90 days in all", async () => {
    const { first, sessionId } = await signedIn();
    const second = await refresh(harness.now, first.refresh);
    const [days] = await harness.now.sql`
      select extract(epoch from s.expires_at - s.created_at) / 86400 as session,
        extract(epoch from max(t.expires_at) - max(t.created_at)) / 86400 as token
      from sessions s join refresh_tokens t on t.session_id = s.id where s.id = ${sessionId}::uuid group by s.id`;
    expect({ session: Number(days!.session), token: Number(days!.token) }).toEqual({
      session: 90,
      token: 30,
    });
    await harness.now.sql`update refresh_tokens set expires_at = now() where session_id = ${sessionId}::uuid`;
    expect(await refresh(harness.now, second.body.refresh_token)).toMatchObject({
      status: 401,
      body: { code: "token_expired" },
    });
  });

  test("is refused when its session is 90 days old, however fresh it is", async () => {
    const { first, sessionId } = await signedIn();
    await harness.now.sql`update sessions set expires_at = now() where id = ${sessionId}::uuid`;
    harness.now.services.access.clear();
    expect((await refresh(harness.now, first.refresh)).body.code).toBe("token_expired");
    expect(await statusOfMe(harness.now, first.access)).toBe(401);
  });

  test("of an ended session is refused, and told from a stolen one", async () => {
    const { first, sessionId } = await signedIn();
    await harness.now.call("POST", "/auth/logout", { token: first.access });
    for (let i = 0; i < 2; i++) {
      expect((await refresh(harness.now, first.refresh)).body).toMatchObject({
        code: "unauthenticated",
        error: "The session has ended",
      });
    }
    expect(await auditOf(sessionId)).toHaveLength(0);
  });

  test("of a deactivated user is refused, and still after the user is back", async () => {
    const { person, first } = await signedIn();
    const admin = { token: person.admin.token };
    await harness.now.call("DELETE", `/users/${person.id}`, admin);
    expect((await refresh(harness.now, first.refresh)).status).toBe(401);
    await harness.now.call("PATCH", `/users/${person.id}`, { ...admin, body: { deactivated: false } });
    expect((await refresh(harness.now, first.refresh)).status).toBe(401);
    expect((await login(harness.now, person)).status).toBe(200);
  });

  test.each([
    ["unknown", { refresh_token: "x".repeat(43) }, 401, "unauthenticated"],
    ["with NUL in it", { refresh_token: "\0" }, 401, "unauthenticated"],
    ["an access token", { refresh_token: "eyJhbGciOiJIUzI1NiJ9.e30.x" }, 401, "unauthenticated"],
    ["missing", {}, 400, "invalid_request"],
    ["empty", { refresh_token: "" }, 400, "invalid_request"],
    ["a number", { refresh_token: 5 }, 400, "invalid_request"],
    ["too long", { refresh_token: "x".repeat(201) }, 400, "invalid_request"],
  ])("that is %s is refused", async (_, body, status, code) => {
    const answer = await harness.now.call("POST", "/auth/refresh", { address: "10.9.9.9", body });
    expect(answer).toMatchObject({ status, body: { code } });
    if (status === 400) expect(Object.keys(answer.body.fieldErrors)).toEqual(["refresh_token"]);
  });
});
