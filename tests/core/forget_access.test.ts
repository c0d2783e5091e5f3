import { expect, test } from "vitest";
import { systemContext } from "../../src/core/context.ts";
import { forgetAccess } from "../../src/core/forget_access.ts";
import { attemptPart, transact } from "../../src/core/transact.ts";
import { makeKey, makeMember, makeProject, makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { freshAddress, login, makePerson } from "../sessions/sign_in.ts";

const harness = useHarness();

interface Request {
  method: string;
  path: string;
  token?: string;
  body?: unknown;
}

/** The calls that change a caller's identity or rights, by their audited action. */
const CHANGES: Record<string, () => Promise<Request>> = {
  "key.revoked": async () => {
    const user = await makeUser(harness.now);
    const { id } = await makeKey(harness.now, user);
    return { method: "DELETE", path: `/keys/${id}`, token: user.token };
  },
  "session.ended": async () => {
    const { token, sessionId } = await makeUser(harness.now);
    return { method: "DELETE", path: `/auth/sessions/${sessionId}`, token };
  },
  "session.token_reused": async () => {
    const { body } = await login(harness.now, await makePerson(harness.now));
    const { status } = await refresh(body.refresh_token);
    expect(status).toBe(200);
    await harness.now
      .sql`update refresh_tokens set used_at = now() - interval '1 hour' where used_at is not null`;
    return { method: "POST", path: "/auth/refresh", body: { refresh_token: body.refresh_token } };
  },
  "member.put": async () => {
    const project = await makeProject(harness.now);
    const { id } = await makeUser(harness.now, { accountId: project.accountId });
    const path = `${project.path}/members/${id}`;
    return { method: "PUT", path, token: project.admin.token, body: { role: "viewer" } };
  },
  "member.removed": async () => {
    const project = await makeProject(harness.now);
    const { id } = await makeMember(harness.now, project, "member");
    return { method: "DELETE", path: `${project.path}/members/${id}`, token: project.admin.token };
  },
  "project.archived": () => changeProject({ archived: true }),
  "project.updated": () => changeProject({ name: "Another name" }),
  "user.updated": () => changeUser({ role: "admin" }),
  "user.deactivated": () => changeUser({ deactivated: true }),
  "user.invitation_accepted": async () => {
    const admin = await makeUser(harness.now, { role: "admin" });
    const { body } = await harness.now.call("POST", "/users", {
      token: admin.token,
      body: { email: `${crypto.randomUUID()}@example.test`, name: "Invited", role: "member" },
    });
    const made = await harness.now.call("POST", `/users/${body.id}/invitation`, { token: admin.token });
    const token = /[\w-]+$/.exec(made.body.invite_url)![0];
    return {
      method: "POST",
      path: "/users/invitations/accept",
      body: { token, password: "a long password" },
    };
  },
  "user.password_changed": async () => {
    const person = await makePerson(harness.now);
    const { body } = await login(harness.now, person);
    const passwords = { current_password: person.password, new_password: "another long password" };
    return { method: "POST", path: "/auth/password", token: body.access_token, body: passwords };
  },
  "account.roles_put": async () => {
    const { token } = await makeUser(harness.now, { role: "admin" });
    const roles = [{ role: "design", enabled: false }];
    return { method: "PUT", path: "/settings/roles", token, body: { roles } };
  },
};

/** Audited changes after which every remembered access is still right. */
const NOTHING_REMEMBERED = new Set([
  "account.created", // nobody's yet
  "account.updated", // only its name
  "key.created", // an unknown key is not remembered
  "project.created", // a project without access is not remembered
  "project.exported", // only reads
  "project.imported", // tickets
  "project.repositories_put", // not part of the access
  "session.refused",
  "session.started",
  "user.created",
  "user.invited", // the password is set later
  "user.unsubscribed", // only what mail is sent
]);

function refresh(token: string) {
  return harness.now.call("POST", "/auth/refresh", {
    body: { refresh_token: token },
    address: freshAddress(),
  });
}

async function changeProject(body: unknown): Promise<Request> {
  const { path, admin } = await makeProject(harness.now);
  return { method: "PATCH", path, token: admin.token, body };
}

async function changeUser(body: unknown): Promise<Request> {
  const admin = await makeUser(harness.now, { role: "super_admin" });
  const { id } = await makeUser(harness.now, { accountId: admin.accountId });
  return { method: "PATCH", path: `/users/${id}`, token: admin.token, body };
}

test.each(Object.keys(CHANGES))(
  "%s makes this process forget what it remembers of callers",
  async (action) => {
    const { method, path, ...options } = await CHANGES[action]!();
    const { access } = harness.now.services;
    const before = access.generation;
    await harness.now.call(method, path, { ...options, address: freshAddress() });
    const [row] = await harness.now.sql`select action from audit_log order by id desc limit 1`;
    expect(row).toEqual({ action });
    expect(access.generation).toBeGreaterThan(before);
  },
);

test("every audited change of a credential or a right is in one of the two lists", async () => {
  const { stdout } = await new Deno.Command("git", { args: ["grep", "-hoE", PATTERN, "--", "src"] }).output();
  const found = new Set(new TextDecoder().decode(stdout).trim().split("\n").map((text) => text.slice(1, -1)));
  expect(found.size).toBeGreaterThan(15);
  const known = (action: string) => action in CHANGES || NOTHING_REMEMBERED.has(action);
  expect([...found].filter((action) => !known(action))).toEqual([]);
});

const PATTERN = '"(account|key|member|project|session|user)\\.[a-z_]+"';

test("what is remembered goes when the write is committed, and stays when it is rolled back", async () => {
  const { services } = harness.now;
  const ctx = systemContext(services, { kind: "job", id: "test" }, "test");
  const before = services.access.generation;
  await transact(ctx, async (ctx) => {
    forgetAccess(ctx);
    await ctx.db`select 1`;
    expect(services.access.generation).toBe(before);
  });
  expect(services.access.generation).toBe(before + 1);

  await transact(ctx, async (ctx) => {
    forgetAccess(ctx);
    await ctx.db`select 1 / 0`;
  }).catch(() => {});
  expect(services.access.generation).toBe(before + 1);

  await transact(ctx, async (ctx) => {
    await attemptPart(ctx, async (ctx) => {
      forgetAccess(ctx);
      await ctx.db`select 1 / 0`;
    });
    await attemptPart(ctx, (ctx) => Promise.resolve(forgetAccess(ctx)));
  });
  expect(services.access.generation).toBe(before + 2);
});
