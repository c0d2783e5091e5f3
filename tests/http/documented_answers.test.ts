import { v7 as uuid } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { publishedProcedures } from "../../src/http/procedures.ts";
import {
  makeKey,
  makeMember,
  makeProject,
  makeUser,
  next,
  type TestProject,
  ticketInput,
} from "../factories.ts";
import { type Answer, type CallOptions, useHarness } from "../harness.ts";
import { freshAddress, makePerson } from "../sessions/sign_in.ts";
import { Document } from "./document.ts";

const harness = useHarness({ env: { RATE_LIMIT_REFRESH: "3/60" } });
let document: Document;
let project: TestProject;
beforeAll(async () => {
  document = await Document.of(harness.now);
  project = await makeProject(harness.now, { repositories: ["acme/app"] });
});

/** Calls an operation by its documented path and checks the answer against the document. */
async function call(
  method: string,
  template: string,
  { path = {}, query = "", ...options }: CallOptions & { path?: Record<string, string>; query?: string } = {},
): Promise<Answer> {
  const concrete = template.replace(/\{(\w+)\}/g, (_, name) => path[name] ?? "missing");
  const answer = await harness.now.call(method, concrete + query, { address: freshAddress(), ...options });
  const at = `${method} ${template} ${answer.status}`;
  expect({ at, faults: document.faultsOfAnswer(method, template, answer) }).toEqual({ at, faults: [] });
  return answer;
}

test("people: accounts, users, invitations", async () => {
  const root = await makeUser(harness.now, { role: "super_admin" });
  const { token } = root;
  const account = await call("POST", "/accounts", { token, body: { name: "New", slug: `new-${next()}` } });
  const path = { id: account.body.id };
  await call("GET", "/accounts", { token });
  await call("GET", "/accounts/{id}", { token, path });
  await call("PATCH", "/accounts/{id}", { token, path, body: { name: "Newer" } });
  await call("POST", "/accounts", { token, body: { name: "New", slug: account.body.slug } });
  await call("GET", "/accounts/{id}", { token, path: { id: crypto.randomUUID() } });
  await call("GET", "/accounts", { token: project.admin.token });

  const email = `person${next()}@example.test`;
  const user = await call("POST", "/users", { token: project.admin.token, body: { email, name: "Person" } });
  const userPath = { id: user.body.id };
  await call("GET", "/users", { token: project.admin.token });
  await call("GET", "/users/{id}", { token: project.admin.token, path: userPath });
  await call("PATCH", "/users/{id}", { token: project.admin.token, path: userPath, body: { role: "admin" } });
  const invite = { token: new URL(user.body.invite_url).hash.slice(1), password: "a long password" };
  await call("POST", "/users/invitations/accept", { body: invite });
  await call("POST", "/users/invitations/accept", { body: invite });
  await call("DELETE", "/users/{id}", { token: project.admin.token, path: userPath });
  await call("POST", "/users", { token: project.admin.token, body: { email, name: "Twin" } });
});

test("credentials: sessions and keys", async () => {
  const person = await makePerson(harness.now);
  const { email, password } = person;
  const pair = await call("POST", "/auth/login", { body: { email, password } });
  const token = pair.body.access_token;
  await call("POST", "/auth/login", { body: { email, password: "wrong" } });
  const address = freshAddress();
  const refresh = () =>
    call("POST", "/auth/refresh", { address, body: { refresh_token: pair.body.refresh_token } });
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await refresh()).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  await call("POST", "/auth/refresh", { body: {} });
  await call("POST", "/auth/refresh", { body: { refresh_token: "unknown" } });
  await call("GET", "/auth/me", { token });
  const sessions = await call("GET", "/auth/sessions", { token });
  await call("POST", "/auth/password", {
    token,
    body: { current_password: password, new_password: "a new long one" },
  });
  const key = await call("POST", "/keys", { token, body: { name: "ci" } });
  await call("GET", "/keys", { token });
  await call("GET", "/keys", { token: key.body.key });
  await call("DELETE", "/keys/{id}", { token, path: { id: key.body.id } });
  await call("DELETE", "/keys/{id}", { token, path: { id: crypto.randomUUID() } });
  await call("DELETE", "/auth/sessions/{id}", { token, path: { id: sessions.body.sessions[0].id } });
  await call("POST", "/auth/logout", { token });
});

test("projects: members and repositories", async () => {
  const { token } = project.admin;
  const made = await call("POST", "/projects", { token, body: { name: `Made ${next()}` } });
  const path = { id: made.body.id };
  await call("GET", "/projects", { token });
  await call("GET", "/projects/{id}", { token, path });
  await call("GET", "/projects/{id}", { token, path: { id: crypto.randomUUID() } });
  await call("PATCH", "/projects/{id}", { token, path, body: { key: project.key } });
  await call("PUT", "/projects/{id}/repositories", { token, path, body: { repositories: ["acme/web"] } });
  const user = await makeUser(harness.now, { accountId: project.accountId });
  const member = { ...path, userId: user.id };
  await call("PUT", "/projects/{id}/members/{userId}", { token, path: member, body: { role: "viewer" } });
  await call("GET", "/projects/{id}/members", { token, path });
  await call("DELETE", "/projects/{id}/members/{userId}", { token, path: member });
  await call("DELETE", "/projects/{id}/members/{userId}", { token, path: member });
  await call("DELETE", "/projects/{id}", { token, path });
});

test("tickets: create, replay, read, change, and every way to be refused", async () => {
  const { token } = project.admin;
  const path = { id: project.id };
  const input = ticketInput({
    roles: ["qa"],
    evidence: { a: [1, { b: null }] },
    idempotency_key: "documented",
  });
  const { body } = await call("POST", "/projects/{id}/tickets", { token, path, body: input });
  await call("POST", "/projects/{id}/tickets", { token, path, body: input });
  const one = { ...path, ticketId: body.ticket.id };
  await call("GET", "/projects/{id}/tickets", { token, path, query: "?limit=1" });
  await call("GET", "/projects/{id}/tickets/{ticketId}", { token, path: one });
  await call("PATCH", "/projects/{id}/tickets/{ticketId}", {
    token,
    path: one,
    body: { title: "Another title" },
  });
  await call("PATCH", "/projects/{id}/tickets/{ticketId}", {
    token,
    path: one,
    headers: { "if-match": '"1"' },
    body: { title: "A third title" },
  });
  await call("POST", "/projects/{id}/tickets/similar", {
    token,
    path,
    body: { title: input["title"], description: input["description"] },
  });

  const viewer = await makeMember(harness.now, project, "viewer");
  const key = await makeKey(harness.now, project.admin, { scopes: ["tickets:read"] });
  const json = { "content-type": "application/json" };
  const refusals: [CallOptions, number][] = [
    [{ body: input }, 401],
    [{ token, body: {} }, 400],
    [{ token, raw: "{", headers: json }, 400],
    [{ token, raw: "{}", headers: { "content-type": "text/plain" } }, 415],
    [{ token, raw: "x".repeat(300_000), headers: json }, 413],
    [{ token: viewer.token, body: input }, 403],
    [{ token: key.token, body: input }, 403],
    [{ body: input, headers: { cookie: `session=${token}`, origin: "https://evil.test" } }, 403],
  ];
  for (const [options, status] of refusals) {
    expect((await call("POST", "/projects/{id}/tickets", { path, ...options })).status).toBe(status);
  }
  await call("GET", "/projects/{id}/tickets/{ticketId}", {
    token,
    path: { ...path, ticketId: crypto.randomUUID() },
  });
});

/** The fields of body and query that name a project or an account. */
const named = publishedProcedures().flatMap((procedure) =>
  ["project_id", "account_id"].filter((field) => field in procedure.rest.shape)
    .map((field) => [procedure.name, field, procedure] as const)
);

test.each(named)("%s about a %s that doesn't exist, as a super admin asks it", async (_, field, { meta }) => {
  const { token } = await makeUser(harness.now, { role: "super_admin" });
  const isRead = meta.method === "GET";
  const unknown = { [field]: uuid() };
  const { status } = await call(meta.method, meta.path, {
    ...meta.cookieOnly ? { headers: { cookie: `session=${token}` } } : { token },
    ...isRead
      ? { query: `?${new URLSearchParams(unknown)}` }
      : { body: { ...meta.example?.input as object | undefined, ...unknown } },
  });
  expect(isRead ? [200, 404] : [404]).toContain(status);
});
