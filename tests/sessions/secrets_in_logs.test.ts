import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { type ServiceProcess, startService } from "../service_process.ts";

const ADMIN = { email: "root@example.test", password: "the first admin's password" };

let place: Place;
let service: ServiceProcess;
/** The texts that must not be found in what the service wrote. */
const secrets = new Set<string>();
let requestIds: string[];

beforeAll(async () => {
  place = await copyTemplate(inject("template"));
  service = await startService(place, {
    LOG_LEVEL: "debug",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    AUTH_SECRET: "the secret that signs every access token",
    CRON_SECRET: "the secret of the pipeline",
    RATE_LIMIT_REFRESH: "100/60",
  });
  secrets.add(ADMIN.password).add("the secret that signs every access token").add(
    "the secret of the pipeline",
  );
  requestIds = await useEveryCredential();
  expect(await service.stop()).toBe(0);
});
afterAll(() => dropPlace(place));

/** Makes every call that sends or answers a secret, with right and with wrong input. */
async function useEveryCredential(): Promise<string[]> {
  const ids: string[] = [];
  const call = async (...[method, path, init]: Parameters<ServiceProcess["call"]>) => {
    const answer = await service.call(method, path, init);
    ids.push(answer.headers.get("x-request-id")!);
    return answer.body;
  };
  const keep = <T extends string>(secret: T): T => {
    expect(secret).toEqual(expect.any(String));
    secrets.add(secret);
    return secret;
  };

  const login = await call("POST", "/api/auth/login", { body: ADMIN });
  const authorization = `Bearer ${keep(login.access_token)}`;
  const headers = { authorization };
  await call("POST", "/api/auth/login", { body: { ...ADMIN, password: keep("a wrong password") } });
  await call("POST", "/api/auth/login", {
    raw: `{"email": "x@example.test", "password": "${keep("half a body")}`,
  });
  await call("POST", "/trpc/auth.login", { raw: `{"json": {"password": "${keep("half a trpc body")}` });
  await call("POST", "/trpc/auth.login", {
    body: { json: { email: 5, password: keep("password beside a bad email") } },
  });
  await call("POST", "/api/auth/login", { body: { ...ADMIN, [keep("password-as-a-field-name")]: 1 } });

  const refreshed = await call("POST", "/api/auth/refresh", {
    body: { refresh_token: keep(login.refresh_token) },
  });
  keep(refreshed.access_token);
  keep(refreshed.refresh_token);
  await call("POST", "/api/auth/refresh", { body: { refresh_token: keep("an unknown refresh token") } });
  await call("GET", `/api/auth/me?access_token=${keep("token-in-the-query")}`, { headers });
  await call("GET", "/api/auth/me", { headers: { cookie: `session=${login.access_token}` } });
  await call("GET", "/api/auth/me", { headers: { authorization: `Bearer ${keep("rubbish-as-a-token")}` } });
  await call("GET", "/api/auth/me", { headers: { authorization: `Basic ${keep("dXNlcjpwYXNzd29yZA==")}` } });

  const key = await call("POST", "/api/keys", { headers, body: { name: "ci" } });
  await call("GET", "/api/projects", { headers: { authorization: `Bearer ${keep(key.key)}` } });
  await call("GET", "/api/projects", {
    headers: { authorization: `Bearer ${keep(`${key.key.slice(0, -1)}!`)}` },
  });
  await call("DELETE", `/api/keys/${key.id}`, { headers });

  const invited = await call("POST", "/api/users", {
    headers,
    body: { email: "new@example.test", name: "New" },
  });
  const token = keep(new URL(invited.invite_url).hash.slice(1));
  const password = keep("an invited person's password");
  await call("POST", "/api/users/invitations/accept", { body: { token, password } });
  await call("POST", "/api/auth/password", {
    headers,
    body: { current_password: ADMIN.password, new_password: keep("the admin's next password") },
  });
  const code = keep("the-code-of-a-survey");
  for (const path of ["/api/surveys/", "/api//surveys//", "/API/Surveys/"]) await call("GET", path + code);
  await call("POST", `/api/surveys/${code}/responses`, { body: { answers: {} } });
  await call("POST", "/api/webhooks/pipeline/deploy", {
    headers: { "x-cron-secret": keep("a guessed cron secret") },
    body: {},
  });
  return ids;
}

describe("what the service writes", () => {
  test("holds no password, token, key or secret", () => {
    expect(secrets.size).toBeGreaterThan(20);
    expect([...secrets].filter((secret) => service.output.includes(secret))).toEqual([]);
  });

  test("has one JSON line for every request, under the id that the caller got", () => {
    const lines = service.output.split("\n").filter((line) => line.startsWith("{")).map((line) =>
      JSON.parse(line)
    );
    const requests = lines.filter(({ message }) => message === "request").map(({ request_id }) => request_id);
    expect(requests).toEqual(expect.arrayContaining(requestIds));
    expect(lines.every(({ time, level, message }) => time && level && message)).toBe(true);
  });

  test("shows the addresses of service and documentation, and not a password that was given", () => {
    expect(service.output).toContain(`${service.url}/api`);
    expect(service.output).toContain(`${service.url}/api/docs`);
    expect(service.output).toContain("the one in ADMIN_PASSWORD");
  });
});
