import { createHmac } from "node:crypto";
import { SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeUser, type TestUser } from "../factories.ts";
import { openHarness, openHarnessAt, useHarness } from "../harness.ts";
import { claimsOf } from "./sign_in.ts";

const OLD = "an old secret of more than 32 characters";
const NEW = "a new secret of more than 32 characters!";
const harness = useHarness({ env: { AUTH_SECRET: `${NEW},${OLD}` } });

const now = () => Math.floor(Date.now() / 1000);

interface Forgery {
  header?: { alg?: string; kid?: string };
  claims?: Record<string, unknown>;
  key?: Uint8Array;
}

/** A token that is right except for the given claims. An undefined claim is left out. */
async function sign(user: TestUser, { header, claims, key }: Forgery = {}): Promise<string> {
  const [current] = harness.now.services.secrets.auth;
  const all = { sub: user.id, sid: user.sessionId, iat: now(), exp: now() + 900, ...claims };
  return await new SignJWT(JSON.parse(JSON.stringify(all)))
    .setProtectedHeader({ alg: "HS256", kid: current.id, ...header })
    .sign(key ?? current.bytes);
}

async function me(token: string) {
  return await harness.now.call("GET", "/auth/me", { token });
}

describe("an access token", () => {
  test("carries sub, sid, iat, exp and kid, and nothing of the user", async () => {
    const user = await makeUser(harness.now);
    expect(Object.keys(claimsOf(user.token)).sort()).toEqual(["exp", "iat", "sid", "sub"]);
    const header = JSON.parse(atob(user.token.split(".")[0]!));
    expect(header).toEqual({ alg: "HS256", kid: harness.now.services.secrets.auth[0].id });
    expect((await me(await sign(user))).status).toBe(200);
  });

  test("of a process whose clock is half a minute ahead is taken", async () => {
    const user = await makeUser(harness.now);
    expect((await me(await sign(user, { claims: { iat: now() + 30, exp: now() + 930 } }))).status).toBe(200);
  });

  test.each<[string, (user: TestUser) => Forgery]>([
    ["signed with another key", () => ({ key: new Uint8Array(32) })],
    ["signed with the secret itself instead of its key", () => ({ key: new TextEncoder().encode(NEW) })],
    ["under a kid that nobody knows", () => ({ header: { kid: "00000000" } })],
    ["without kid", () => ({ header: { kid: undefined as unknown as string } })],
    ["by HS512", () => ({ header: { alg: "HS512" }, key: new Uint8Array(64) })],
    ["by HS384 with the right key", () => ({
      header: { alg: "HS384" },
      key: new Uint8Array([...harness.now.services.secrets.auth[0].bytes, ...new Uint8Array(16)]),
    })],
    ["from the future", () => ({ claims: { iat: now() + 90, exp: now() + 990 } })],
    ["not to be used yet", () => ({ claims: { nbf: now() + 3600 } })],
    ["without sid", () => ({ claims: { sid: undefined } })],
    ["without sub", () => ({ claims: { sub: undefined } })],
    ["without exp", () => ({ claims: { exp: undefined } })],
    ["without iat", () => ({ claims: { iat: undefined } })],
    ["with a session that is no UUID", () => ({ claims: { sid: "'; drop table users; --" } })],
    ["with a session that doesn't exist", () => ({ claims: { sid: crypto.randomUUID() } })],
    ["with a user who doesn't exist", () => ({ claims: { sub: crypto.randomUUID() } })],
  ])("%s is refused", async (_, forge) => {
    const user = await makeUser(harness.now);
    const { status, body } = await me(await sign(user, forge(user)));
    expect(status).toBe(401);
    expect(body.code).toBe("unauthenticated");
  });

  test.each<[string, (kid: string) => { header: object; key: string }]>([
    ["a key of its own in it", () => ({ header: { jwk: { kty: "oct", k: btoa("own") } }, key: "own" })],
    ["the address of a key in it", () => ({ header: { jku: "https://evil.example/jwks" }, key: "own" })],
    ["a path as its kid", () => ({ header: { kid: "../../../dev/null" }, key: "\0" })],
    ["its kid as its key", (kid) => ({ header: {}, key: kid })],
    ["an empty text as its kid and NUL as its key", () => ({ header: { kid: "" }, key: "\0" })],
    ["crit for what nobody knows", () => ({ header: { crit: ["exp"], exp: 1 }, key: "own" })],
    ["b64 switched off", () => ({ header: { crit: ["b64"], b64: false }, key: "own" })],
    ["alg none beside a signature", () => ({ header: { alg: "none" }, key: "own" })],
    ["alg in another case", () => ({ header: { alg: "hs256" }, key: "own" })],
  ])("with %s is refused", async (_, forge) => {
    const user = await makeUser(harness.now);
    const [{ id }] = harness.now.services.secrets.auth;
    const { header, key } = forge(id);
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const claims = { sub: user.id, sid: user.sessionId, iat: now(), exp: now() + 900 };
    const signed = `${encode({ alg: "HS256", kid: id, ...header })}.${encode(claims)}`;
    const token = `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
    const { status, body } = await me(token);
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
  });

  test("of one user's session for another user is refused", async () => {
    const [one, other] = [await makeUser(harness.now), await makeUser(harness.now)];
    expect((await me(await sign(one, { claims: { sub: other.id } }))).status).toBe(401);
  });

  test("without a signature is refused", async () => {
    const user = await makeUser(harness.now);
    const claims = { sub: user.id, sid: user.sessionId, iat: now(), exp: now() + 900 };
    expect((await me(new UnsecuredJWT(claims).encode())).status).toBe(401);
    const [header, payload] = user.token.split(".");
    expect((await me(`${header}.${payload}.`)).status).toBe(401);
    expect((await me(`${header}.${payload}`)).status).toBe(401);
  });

  test("of which one character is changed is refused, wherever it is", async () => {
    const user = await makeUser(harness.now);
    for (let at = 0; at < user.token.length; at += 7) {
      const letter = user.token[at] === "A" ? "B" : "A";
      const changed = user.token.slice(0, at) + letter + user.token.slice(at + 1);
      expect((await me(changed)).status).toBe(401);
    }
  });

  test("that has expired says so, even while it is remembered", async () => {
    const user = await makeUser(harness.now);
    const late = await sign(user, { claims: { iat: now() - 901, exp: now() - 1 } });
    expect(await me(late)).toMatchObject({ status: 401, body: { code: "token_expired" } });
    const soon = await sign(user, { claims: { exp: now() + 60 } });
    expect((await me(soon)).status).toBe(200);
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + 60_000);
    expect(await me(soon)).toMatchObject({ status: 401, body: { code: "token_expired" } });
  });

  test.each([
    ["Bearer", 401],
    ["Bearer ", 401],
    ["Basic dXNlcjpwYXNzd29yZA==", 401],
    ["Bearer two words", 401],
    ["Bearer a, Bearer b", 401],
    ["Bearer \u00e9", 401],
    ["", 401],
  ])("in the form %j is refused with the right form", async (authorization, status) => {
    const answer = await harness.now.call("GET", "/auth/me", { headers: { authorization } });
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe("unauthenticated");
  });

  test("is taken with the word Bearer in any case, and with any number of blanks after it", async () => {
    const user = await makeUser(harness.now);
    for (const word of ["bearer", "BEARER", "Bearer", "Bearer  "]) {
      const answer = await harness.now.call("GET", "/auth/me", {
        headers: { authorization: `${word} ${user.token}` },
      });
      expect(answer.status).toBe(200);
    }
  });

  test("without the word Bearer is refused", async () => {
    const { token } = await makeUser(harness.now);
    for (const authorization of [token, `Token ${token}`]) {
      const answer = await harness.now.call("GET", "/auth/me", { headers: { authorization } });
      expect(answer).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    }
  });

  test("signed with the older secret still works, and new ones are signed with the newer", async () => {
    const user = await makeUser(harness.now);
    const [newer, older] = harness.now.services.secrets.auth;
    const old = await sign(user, { header: { kid: older!.id }, key: older!.bytes });
    expect((await me(old)).status).toBe(200);
    expect(JSON.parse(atob(user.token.split(".")[0]!)).kid).toBe(newer.id);
    // The older key has the newer key's name here, and the newer one has the older's.
    expect((await me(await sign(user, { key: older!.bytes }))).status).toBe(401);
    expect((await me(await sign(user, { header: { kid: older!.id } }))).status).toBe(401);
  });
});

test("a secret that is taken out of the list ends its tokens", async () => {
  const place = harness.now.place;
  const user = await makeUser(harness.now);
  const older = harness.now.services.secrets.auth[1]!;
  const old = await sign(user, { header: { kid: older.id }, key: older.bytes });
  // The embedded database takes one process: then another place, where nobody knows the user, must
  // say the same.
  const options = { env: { AUTH_SECRET: NEW } };
  const later = place.url ? await openHarnessAt(place, options) : await openHarness(options);
  try {
    const { status, body } = await later.call("GET", "/auth/me", { token: old });
    expect({ status, error: body.error }).toEqual({ status: 401, error: "The access token is invalid" });
  } finally {
    if (place.url) await later.stop();
    else await later.close();
  }
});
