import { describe, expect, test } from "vitest";
import { makeMember, makeProject, makeUser } from "../factories.ts";
import { type Harness, openHarness, openHarnessAt } from "../harness.ts";
import { cookie, SECRET, useHosting } from "./hosting.ts";

const hosting = useHosting();
const HOOK_URL = "http://handoff.test/api/webhooks/github";

function hooksOf(repo: string) {
  return hosting.now.github.state.repository(repo)!.hooks;
}

describe("setting up webhooks", () => {
  test("makes one hook for each repository, and a second call changes nothing", async () => {
    const project = await hosting.now.project(3);
    const first = await hosting.now.setUp(project.admin, { project_id: project.id });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ created: 3, updated: 0, unchanged: 0, failed: 0 });
    expect(first.headers.has("location")).toBe(false);
    expect(Object.keys(first.body).sort()).toEqual(["created", "failed", "results", "unchanged", "updated"]);
    for (const { repo, project_id, status, hook_id } of first.body.results) {
      expect([project_id, status]).toEqual([project.id, "created"]);
      expect(hooksOf(repo)).toMatchObject([{
        id: hook_id,
        active: true,
        events: ["issues", "pull_request"],
        config: { url: HOOK_URL, content_type: "json", secret: SECRET, insecure_ssl: "0" },
      }]);
    }
    const writes = () =>
      hosting.now.github.calls.filter(({ operation }) => /create|update|delete/.test(operation)).length;
    const before = writes();
    const second = await hosting.now.setUp(project.admin, { project_id: project.id });
    expect(second.body).toMatchObject({ created: 0, updated: 0, unchanged: 3, failed: 0 });
    expect(writes()).toBe(before);
    const audited = await hosting.now.harness.sql`
      select action, details ->> 'created' as created from audit_log where target_id = ${project.id} order by id desc limit 2`;
    const action = "code_hosting.hooks_set_up";
    expect(audited).toEqual([{ action, created: "0" }, { action, created: "3" }]);
  });

  test("does the same at a host that says less of a user and a hook than GitHub", async () => {
    const others = {
      id: 3,
      active: null,
      events: null,
      config: { url: null, content_type: null, insecure_ssl: null },
    };
    const hooks: object[] = [others, { id: 4, config: null }];
    const host = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      if (request.url.endsWith("/user")) return Response.json({ id: 1, login: "octocat" });
      if (request.method === "GET") return Response.json(hooks);
      if (request.method === "PATCH") return Response.json({ id: 8 });
      hooks.push({ id: 7, ...await request.json() });
      return Response.json({ id: 7 }, { status: 201 });
    });
    const env = { GITHUB_API_URL: `http://127.0.0.1:${host.addr.port}`, GITHUB_WEBHOOK_SECRET: SECRET };
    const terse = await openHarness({ env });
    try {
      const admin = await makeUser(terse, { role: "admin" });
      await makeProject(terse, { admin, repositories: ["acme/terse"] });
      const link = { token: admin.token, body: { token: "gho_test" } };
      expect((await terse.call("PUT", "/integrations/github", link)).body.login).toBe("octocat");
      const setUp = async () => {
        const options = { headers: cookie(admin), body: {} };
        return (await terse.call("POST", "/integrations/webhooks", options)).body.results;
      };
      for (const status of ["created", "unchanged"]) {
        expect(await setUp()).toMatchObject([{ repo: "acme/terse", status, hook_id: 7 }]);
      }
      expect(hooks).toHaveLength(3);
      // Somebody has created the hook again, with another secret.
      Object.assign(hooks[2]!, { id: 8 });
      expect(await setUp()).toMatchObject([{ status: "updated", hook_id: 8 }]);
    } finally {
      await terse.close();
      await host.shutdown();
    }
  });

  test("mends a hook that somebody changed, and sets its secret again", async () => {
    const project = await hosting.now.project(7);
    const [paused, other, more, form, insecure, rewritten, untouched] = project.repositories as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    await hosting.now.setUp(project.admin);
    hooksOf(paused)[0]!.active = false;
    hooksOf(other)[0]!.events = ["push"];
    hooksOf(more)[0]!.events = ["issues", "pull_request", "push"];
    hooksOf(form)[0]!.config.content_type = "form";
    hooksOf(insecure)[0]!.config.insecure_ssl = "1";
    // If only the secret was changed, nothing but the time of the change shows it.
    Object.assign(hooksOf(rewritten)[0]!, { updated_at: "2031-01-01T00:00:00Z" });
    hooksOf(rewritten)[0]!.config.secret = "somebody else's";
    const { body } = await hosting.now.setUp(project.admin);
    expect(body).toMatchObject({ created: 0, updated: 6, unchanged: 1, failed: 0 });
    expect(body.results.find((one: { repo: string }) => one.repo === untouched).status).toBe("unchanged");
    for (const repo of project.repositories) {
      expect(hooksOf(repo)).toMatchObject([{
        active: true,
        events: ["issues", "pull_request"],
        config: { secret: SECRET },
      }]);
    }
  });

  test("gives a new secret and a new address of the service to every hook", async () => {
    const project = await hosting.now.project(2);
    const { config } = hosting.now.harness.services;
    const before = { secret: config.GITHUB_WEBHOOK_SECRET!, url: config.PUBLIC_URL };
    await hosting.now.setUp(project.admin);
    try {
      config.GITHUB_WEBHOOK_SECRET = ["new-secret", ...before.secret];
      expect((await hosting.now.setUp(project.admin)).body).toMatchObject({ updated: 2, unchanged: 0 });
      config.PUBLIC_URL = "https://moved.test";
      const headers = { cookie: `session=${project.admin.token}` };
      const moved = await hosting.now.harness.call("POST", "/integrations/webhooks", { headers, body: {} });
      expect(moved.body).toMatchObject({ created: 0, updated: 2 });
    } finally {
      [config.GITHUB_WEBHOOK_SECRET, config.PUBLIC_URL] = [before.secret, before.url];
    }
    for (const repo of project.repositories) {
      const url = "https://moved.test/api/webhooks/github";
      expect(hooksOf(repo)).toMatchObject([{ config: { url, secret: "new-secret" } }]);
    }
  });

  test("takes over a hook that was made by hand, and leaves the hooks of others alone", async () => {
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    const hook = (id: number, url: string) => ({
      id,
      active: true,
      events: ["push"],
      config: { url, content_type: "form", insecure_ssl: "1" },
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-01T00:00:00Z",
    });
    hooksOf(repo).push(hook(7, "https://ci.test/hook"), hook(9, `${HOOK_URL}/`), hook(8, HOOK_URL));
    const { body } = await hosting.now.setUp(project.admin);
    expect(body.results).toMatchObject([{ status: "updated", hook_id: 8 }]);
    // The older one of two hooks for one URL stays.
    expect(hooksOf(repo).map(({ id }) => id)).toEqual([7, 8]);
    expect(hooksOf(repo)[0]!.config.url).toBe("https://ci.test/hook");
  });

  test("two calls at once make one hook, even where the code host would take two", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(3);
    github.state.refusesDuplicates = false;
    github.latency = 20;
    // On a server, a second process takes part.
    const { harness } = hosting.now;
    const other = harness.place.url ? await openHarnessAt(harness.place, { env: hosting.now.env }) : harness;
    const call = (on: Harness) =>
      on.call("POST", "/integrations/webhooks", { headers: cookie(project.admin), body: {} });
    const answers = await Promise.all([harness, other, harness, other, harness].map(call));
    if (other !== harness) await other.stop();
    github.latency = 0;
    github.state.refusesDuplicates = true;
    for (const repo of project.repositories) expect(hooksOf(repo)).toHaveLength(1);
    const sum = (name: string) => answers.reduce((total, { body }) => total + body[name], 0);
    expect([sum("created"), sum("unchanged"), sum("failed")]).toEqual([3, 12, 0]);
  });

  test("a repository of two projects gets one hook, shown in both", async () => {
    const one = await hosting.now.project(1);
    const other = await makeProject(hosting.now.harness, {
      admin: one.admin,
      repositories: [one.repositories[0]!.toUpperCase()],
    });
    const { body } = await hosting.now.setUp(one.admin);
    expect(body).toMatchObject({ created: 1, unchanged: 1, failed: 0 });
    expect(body.results.map(({ project_id }: { project_id: string }) => project_id)).toEqual([
      one.id,
      other.id,
    ]);
    expect(body.results[0].hook_id).toBe(body.results[1].hook_id);
    expect(hooksOf(one.repositories[0]!)).toHaveLength(1);
  });

  test("works on at most four repositories at once", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(12);
    github.peak = 0;
    github.latency = 10;
    const { body } = await hosting.now.setUp(project.admin);
    github.latency = 0;
    expect(body.created).toBe(12);
    expect(github.peak).toBeGreaterThan(1);
    expect(github.peak).toBeLessThanOrEqual(4);
  });

  test("tells of a renamed repository by which name its events will come, and goes to no other host", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(2);
    const [renamed, stray] = project.repositories as [string, string];
    github.state.addRepository("acme/new-name");
    github.state.repository(renamed)!.movedTo = "acme/new-name";
    const visits: string[] = [];
    const elsewhere = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
      visits.push(url);
      return new Response();
    });
    const to = `http://127.0.0.1:${elsewhere.addr.port}/elsewhere`;
    github.failures.add({ kind: "foreign_redirect", repo: stray, times: 9, to });
    const { body } = await hosting.now.setUp(project.admin);
    await elsewhere.shutdown();
    expect(visits).toEqual([]);
    expect(body.results).toMatchObject([
      {
        status: "failed",
        hook_id: null,
        code: "provider_refused",
        error: expect.stringContaining("acme/new-name"),
      },
      { status: "failed", code: "provider_unavailable" },
    ]);
    expect(hooksOf("acme/new-name")).toHaveLength(1);
    expect((await hosting.now.setUp(project.admin)).body.results[0]).toEqual(body.results[0]);
    await hosting.now.harness.call("PUT", `${project.path}/repositories`, {
      token: project.admin.token,
      body: { repositories: ["acme/New-Name"] },
    });
    expect((await hosting.now.setUp(project.admin)).body.results).toMatchObject([{ status: "updated" }]);
    expect(hooksOf("acme/new-name")).toHaveLength(1);
  });
});

describe("who may set up webhooks", () => {
  test("only the session cookie counts, and not from another site", async () => {
    const { harness } = hosting.now;
    const { admin } = await hosting.now.project(1);
    const bearer = await harness.call("POST", "/integrations/webhooks", { token: admin.token, body: {} });
    expect([bearer.status, bearer.body.code]).toEqual([401, "unauthenticated"]);
    const foreign = await harness.call("POST", "/integrations/webhooks", {
      headers: { ...cookie(admin), origin: "https://evil.test" },
      body: {},
    });
    expect([foreign.status, foreign.body.code]).toEqual([403, "csrf"]);
  });

  test("project admins do it for their projects only", async () => {
    const { harness } = hosting.now;
    const mine = await hosting.now.project(1);
    const other = await makeProject(harness, { admin: mine.admin, repositories: ["acme/other"] });
    const projectAdmin = await makeMember(harness, mine, "admin");
    const member = await makeMember(harness, mine, "member");
    await hosting.now.link(projectAdmin);
    await hosting.now.link(member);
    const all = await hosting.now.setUp(projectAdmin);
    expect(all.body.results.map(({ project_id }: { project_id: string }) => project_id)).toEqual([mine.id]);
    for (const [user, project_id] of [[member, mine.id], [projectAdmin, other.id]] as const) {
      const { status, body } = await hosting.now.setUp(user, { project_id });
      expect([status, body.code]).toEqual([403, "forbidden"]);
    }
    const none = await hosting.now.setUp(member);
    expect([none.status, none.body.code]).toEqual([404, "not_found"]);
  });

  test("an unknown project is forbidden like a foreign one, and not found for those who may see all", async () => {
    const { harness } = hosting.now;
    const { admin } = await hosting.now.project(1);
    const project_id = crypto.randomUUID();
    expect((await hosting.now.setUp(admin, { project_id })).status).toBe(403);
    const root = await makeUser(harness, { role: "super_admin" });
    expect((await hosting.now.setUp(root, { project_id })).status).toBe(404);
    const wrong = await hosting.now.setUp(admin, { project_id: "12", repo: "x" });
    expect(Object.keys(wrong.body.fieldErrors).sort()).toEqual(["project_id", "repo"]);
  });

  test("without a linked account the answer asks to connect one", async () => {
    const user = await makeUser(hosting.now.harness, { role: "admin" });
    const { status, body } = await hosting.now.setUp(user);
    expect([status, body.code, body.reconnect]).toEqual([401, "code_hosting_not_linked", true]);
  });

  test("an archived project is left out, and one without repositories has no results", async () => {
    const { harness } = hosting.now;
    const project = await hosting.now.project(1);
    const empty = await makeProject(harness, { admin: project.admin });
    await harness.call("DELETE", project.path, { token: project.admin.token });
    const { body } = await hosting.now.setUp(project.admin);
    expect(body).toEqual({ results: [], created: 0, updated: 0, unchanged: 0, failed: 0 });
    expect((await hosting.now.setUp(project.admin, { project_id: empty.id })).body.results).toEqual([]);
  });
});
