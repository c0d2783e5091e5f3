import { describe, expect, test } from "vitest";
import { useHarness } from "../harness.ts";
import { makePerson, signIn } from "./sign_in.ts";

const SITE = "https://handoff.test";
const harness = useHarness({ env: { PUBLIC_URL: SITE, RATE_LIMIT_REFRESH: "1000/60" } });

async function start() {
  const { id, email, password } = await makePerson(harness.now);
  const answer = await harness.now.call("POST", "/auth/session", {
    headers: { origin: SITE },
    body: { email, password },
  });
  expect(answer.status).toBe(204);
  return { id, fields: answer.headers.getSetCookie(), ...valuesOf(answer.headers) };
}

function valuesOf(headers: Headers) {
  const valueOf = (name: string) =>
    headers.getSetCookie().find((field) => field.startsWith(`${name}=`))?.slice(name.length + 1).split(
      ";",
    )[0];
  return { session: valueOf("__Host-session"), refresh: valueOf("__Secure-refresh") };
}

const me = (cookie: string) => harness.now.call("GET", "/auth/me", { headers: { cookie } });
const renew = (cookie: string) =>
  harness.now.call("POST", "/auth/session/renew", { headers: { origin: SITE, cookie } });

describe("on https", () => {
  test("the cookies have the prefixes by which no other host can plant them", async () => {
    const { fields, session, refresh } = await start();
    expect(
      fields.map((field) =>
        field.replace(/^([\w-]+)=[\w.-]+;/, "$1=…;").replace(/Max-Age=\d\d+/, "Max-Age=…")
      ),
    )
      .toEqual([
        "session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0; Secure",
        "__Host-session=…; HttpOnly; SameSite=Lax; Path=/; Max-Age=…; Secure",
        "refresh=; HttpOnly; SameSite=Strict; Path=/api/auth/session; Max-Age=0; Secure",
        "__Secure-refresh=…; HttpOnly; SameSite=Strict; Path=/api/auth/session; Max-Age=…; Secure",
      ]);
    expect((await me(`__Host-session=${session}`)).status).toBe(200);
    const renewed = await renew(`__Secure-refresh=${refresh}`);
    expect(renewed.status).toBe(204);
    expect((await me(`__Host-session=${valuesOf(renewed.headers).session}`)).status).toBe(200);
  });

  test("cookies of the former names are still taken, and replaced when they are renewed", async () => {
    const { id, session, refresh } = await start();
    expect((await me(`session=${session}`)).body.user.id).toBe(id);
    const renewed = await renew(`refresh=${refresh}`);
    expect(renewed.status).toBe(204);
    expect(renewed.headers.getSetCookie()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^session=;/), expect.stringMatching(/^refresh=;/)]),
    );
    const { access, refresh: token } = await signIn(harness.now, await makePerson(harness.now));
    const pair = await harness.now.call("POST", "/auth/refresh", {
      headers: { cookie: `session=${access}` },
      body: { refresh_token: token },
    });
    expect(valuesOf(pair.headers).session).toBe(pair.body.access_token);
  });

  test("a planted cookie of the former name does nothing beside one with the prefix", async () => {
    const [own, planted] = [await start(), await start()];
    const both = [`session=${planted.session}`, `__Host-session=${own.session}`];
    for (const cookie of [both.join("; "), both.toReversed().join(", ")]) {
      expect((await me(cookie)).body.user.id).toBe(own.id);
    }
    expect((await me(`session=${planted.session}; __Host-session=of-another-application`)).status).toBe(401);
    const renewed = await renew(`refresh=${planted.refresh}; __Secure-refresh=${own.refresh}`);
    expect((await me(`__Host-session=${valuesOf(renewed.headers).session}`)).body.user.id).toBe(own.id);
  });

  test("signing out takes the cookies of all names away", async () => {
    const { session } = await start();
    const { headers, status } = await harness.now.call("POST", "/auth/logout", {
      headers: { origin: SITE, cookie: `__Host-session=${session}` },
    });
    expect(status).toBe(204);
    const emptied = headers.getSetCookie().filter((field) => /=; .*Max-Age=0/.test(field));
    expect(emptied.map((field) => field.split("=")[0]))
      .toEqual(["session", "__Host-session", "refresh", "__Secure-refresh"]);
  });

  test("a write by the cookie from another origin is refused", async () => {
    const { session } = await start();
    const answer = await harness.now.call("POST", "/auth/logout", {
      headers: { origin: "https://evil.test", cookie: `__Host-session=${session}` },
    });
    expect(answer.body.code).toBe("csrf");
  });

  test("the OpenAPI document names the cookie that is set", async () => {
    const { body } = await harness.now.call("GET", "/openapi.json");
    expect(body.components.securitySchemes.cookie).toMatchObject({ in: "cookie", name: "__Host-session" });
  });
});
