import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { FailureKind } from "../../lab/simulators/github/failures.ts";
import { log } from "../../src/core/log.ts";
import { makeProject, makeUser } from "../factories.ts";
import { openHarness } from "../harness.ts";
import { until } from "../until.ts";
import { cookie, useHosting } from "./hosting.ts";

const hosting = useHosting();

describe("a failure at the code host", () => {
  const LIST = "repos/list-webhooks";
  const CREATE = "repos/create-webhook";
  test.each<[FailureKind, string, { wait?: number; times?: number }, string, RegExp]>([
    [
      "forbidden",
      LIST,
      {},
      "no_admin_right",
      /has no rights.*says: Must have admin rights to Repository\.$/,
    ],
    ["not_found", LIST, {}, "no_admin_right", /has no rights.*says: Not Found$/],
    ["forbidden", CREATE, {}, "no_admin_right", /has no rights/],
    ["secondary_rate_limit", LIST, { wait: 30 }, "provider_rate_limited", /wait 30 s/],
    ["secondary_rate_limit", CREATE, { wait: 30 }, "provider_rate_limited", /wait 30 s/],
    ["secondary_rate_limit", LIST, { wait: 0 }, "provider_rate_limited", /wait 60 s/],
    ["primary_rate_limit", LIST, { wait: 1000 }, "provider_rate_limited", /wait \d+ s/],
    ["server_error", LIST, { times: 3 }, "provider_unavailable", /try again later/],
    ["garbage", LIST, {}, "provider_unavailable", /not understood/],
    ["lost_answer", LIST, {}, "provider_unavailable", /not understood/],
    ["server_error", CREATE, {}, "provider_unavailable", /try again later/],
    ["validation_failed", CREATE, {}, "provider_refused", /public Internet/],
  ])(
    "%s at %s fails its repository alone, and the next call mends it",
    async (kind, operation, rule, code, error) => {
      const { github } = hosting.now;
      const project = await hosting.now.project(3);
      const [, repo] = project.repositories as [string, string, string];
      github.failures.add({ kind, operation, repo, ...rule });
      const begun = Date.now();
      const { status, body } = await hosting.now.setUp(project.admin);
      const passed = (Date.now() - begun) / 1000;
      expect(status).toBe(200);
      const result = body.results.find((one: { repo: string }) => one.repo === repo);
      expect(result).toMatchObject({
        status: "failed",
        code,
        hook_id: null,
        error: expect.stringMatching(error),
      });
      expect("retryAfter" in result).toBe(code === "provider_rate_limited");
      if (rule.wait) {
        expect(result.retryAfter).toBeLessThanOrEqual(rule.wait);
        expect(result.retryAfter).toBeGreaterThan(rule.wait - 1 - passed);
      }
      // While GitHub limits the rate, no further repository is begun.
      if (code !== "provider_rate_limited") expect(body).toMatchObject({ created: 2, failed: 1 });
      expect(body.created + body.failed).toBe(3);
      const again = await hosting.now.setUp(project.admin);
      expect(again.body).toMatchObject({ created: body.failed, unchanged: body.created, failed: 0 });
    },
  );

  test.each<[unknown, string]>([
    ["Too many hooks", "GitHub refused: Too many hooks"],
    [["Too many hooks", "Too long"], "GitHub refused: Too many hooks; Too long"],
    [[{ resource: "Hook", code: "missing_field", field: "url" }], "GitHub refused: url: missing_field"],
    [[null], "GitHub refused: Validation Failed"],
  ])("tells why whatever form GitHub gives it: %j", async (errors, error) => {
    const { github } = hosting.now;
    const project = await hosting.now.project(1);
    github.failures.add({ kind: "validation_failed", operation: CREATE, errors });
    const { status, body } = await hosting.now.setUp(project.admin);
    expect([status, body.results]).toMatchObject([200, [{ code: "provider_refused", error }]]);
  });

  test.each<[unknown, RegExp]>([
    [null, /says: Unknown error: null$/],
    ["Blocked", /says: Blocked$/],
    [{ message: 4031 }, /says: 4031$/],
    [{ message: "Blocked", errors: [{ message: {} }, 7] }, /says: Blocked$/],
    [{ message: { text: "Blocked" } }, /says: /],
  ])("of a gateway in between fails its repository alone, whatever it says: %j", async (json, error) => {
    const { github } = hosting.now;
    const project = await hosting.now.project(2);
    github.failures.add({ kind: "garbage", operation: LIST, repo: project.repositories[0]!, json });
    const { status, body } = await hosting.now.setUp(project.admin);
    expect([status, body.created, body.failed]).toEqual([200, 1, 1]);
    const failed = body.results.find(({ code }: { code?: string }) => code);
    expect(failed).toMatchObject({ code: "no_admin_right", error: expect.stringMatching(error) });
  });

  test("that its answer does not explain is explained in the log", async () => {
    const { github } = hosting.now;
    const warn = vi.spyOn(log, "warn");
    onTestFinished(() => warn.mockRestore());
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    github.failures.add({
      kind: "foreign_redirect",
      operation: LIST,
      repo,
      times: 3,
      to: "https://sso.test/",
    });
    const { body, headers } = await hosting.now.setUp(project.admin);
    expect(body.results).toMatchObject([{ code: "provider_unavailable" }]);
    expect(warn.mock.calls).toEqual([[
      "webhook not set up",
      expect.objectContaining({
        request_id: headers.get("x-request-id"),
        repo,
        error: `HttpError: refused to call https://sso.test instead of ${github.url}`,
      }),
    ]]);
  });

  test("a list that never ends is given up", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(1);
    const { hooks } = github.state.repository(project.repositories[0]!)!;
    const hook = {
      id: 7,
      active: true,
      events: ["push"],
      config: { url: "https://ci.test/hook", content_type: "json", insecure_ssl: "0" },
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-01T00:00:00Z",
    };
    hooks.slice = () => Array(100).fill(hook);
    const before = github.count(LIST);
    const { body } = await hosting.now.setUp(project.admin);
    expect(body.results).toMatchObject([{
      code: "provider_unavailable",
      error: "GitHub's list of webhooks does not end; try again later",
    }]);
    expect(github.count(LIST)).toBe(before + 10);
  });

  test("a creation whose answer is lost is found, not repeated", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    github.failures.add({ kind: "lost_answer", operation: "repos/create-webhook", repo });
    const before = github.count("repos/create-webhook");
    const { body } = await hosting.now.setUp(project.admin);
    expect(body.results).toMatchObject([{
      status: "created",
      hook_id: github.state.repository(repo)!.hooks[0]!.id,
    }]);
    expect(github.count("repos/create-webhook")).toBe(before + 1);
    expect(github.state.repository(repo)!.hooks).toHaveLength(1);
    expect((await hosting.now.setUp(project.admin)).body).toMatchObject({ unchanged: 1 });
  });

  test("an answer that comes too late is not waited for: the hook is found", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(1);
    github.failures.add({ kind: "slow", operation: "repos/create-webhook", wait: 11_000 });
    expect((await hosting.now.setUp(project.admin)).body).toMatchObject({ created: 1, failed: 0 });
    expect(github.state.repository(project.repositories[0]!)!.hooks).toHaveLength(1);
  });

  test("a hook that appears after the list was read is taken over", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    await hosting.now.setUp(project.admin);
    const { hooks } = github.state.repository(repo)!;
    const rival = hooks.splice(0, 1);
    rival[0]!.active = false;
    github.latency = 500;
    const from = github.calls.length;
    const answer = hosting.now.setUp(project.admin);
    await until(() => github.calls.length > from);
    hooks.push(...rival);
    github.latency = 0;
    expect((await answer).body.results).toMatchObject([{ status: "updated", hook_id: rival[0]!.id }]);
    expect(hooks).toMatchObject([{ active: true }]);
  });

  test("writes are never repeated, reads are", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    github.failures.add({ kind: "server_error", operation: "repos/list-webhooks", repo, times: 2 });
    github.failures.add({ kind: "server_error", operation: "repos/create-webhook", repo });
    const from = github.calls.length;
    await hosting.now.setUp(project.admin);
    expect(github.calls.slice(from).map(({ operation }) => operation)).toEqual([
      "repos/list-webhooks",
      "repos/list-webhooks",
      "repos/list-webhooks",
      "repos/create-webhook",
      "repos/list-webhooks",
    ]);
  });

  test("a rate limit that is over in a moment is waited for", async () => {
    const { github } = hosting.now;
    const project = await hosting.now.project(1);
    github.failures.add({ kind: "secondary_rate_limit", operation: "repos/create-webhook", wait: 1 });
    expect((await hosting.now.setUp(project.admin)).body).toMatchObject({ created: 1, failed: 0 });
  });

  test.each(["primary_rate_limit", "secondary_rate_limit"] as const)(
    "a %s lasts an hour at the most, however far the two clocks are apart",
    async (kind) => {
      const { github } = hosting.now;
      const project = await hosting.now.project(1);
      github.failures.add({ kind, operation: LIST, wait: 90_000 });
      const { body } = await hosting.now.setUp(project.admin);
      expect(body.results).toMatchObject([{ code: "provider_rate_limited", retryAfter: 3600 }]);
    },
  );

  test("a refused token ends the whole call with reconnect, and shows until it is linked again", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(6);
    const token = await hosting.now.link(project.admin);
    const identity = github.state.tokens.get(token)!;
    github.state.tokens.delete(token);
    const { status, body } = await hosting.now.setUp(project.admin);
    expect([status, body.code, body.reconnect]).toEqual([401, "code_hosting_not_linked", true]);
    const state = async () =>
      (await harness.call("GET", "/integrations/github", { token: project.admin.token })).body.state;
    expect(await state()).toBe("refused");
    github.state.addToken(token, identity);
    await harness.call("PUT", "/integrations/github", { token: project.admin.token, body: { token } });
    expect(await state()).toBe("active");
    expect((await hosting.now.setUp(project.admin)).body).toMatchObject({ created: 6, failed: 0 });
  });

  test("a token that is refused after another was linked leaves that one as it is", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    github.state.tokens.delete(await hosting.now.link(project.admin));
    github.latency = 500;
    const answer = hosting.now.setUp(project.admin);
    await until(async () =>
      (await harness.sql`
        update code_hosting_accounts set linked_at = now()
        where user_id = ${project.admin.id}::uuid and exists (select from claims)`).count > 0
    );
    github.latency = 0;
    expect((await answer).status).toBe(401);
    const { body } = await harness.call("GET", "/integrations/github", { token: project.admin.token });
    expect(body.state).toBe("active");
  });
});

describe("a failure of our own", () => {
  test("projects that cannot be loaded are told as such", async () => {
    const { harness: { sql } } = hosting.now;
    const project = await hosting.now.project(1);
    await sql`alter table project_repositories rename to project_repositories_away`;
    try {
      const { status, body } = await hosting.now.setUp(project.admin);
      expect([status, body.code]).toEqual([500, "projects_unavailable"]);
    } finally {
      await sql`alter table project_repositories_away rename to project_repositories`;
    }
  });

  test("a claim that a dead process left is taken over when its time is over", async () => {
    const { harness: { sql } } = hosting.now;
    const project = await hosting.now.project(1);
    await sql`
      insert into claims (name, holder, expires_at)
      values (${`hook:${
      project.repositories[0]!.toLowerCase()
    }`}, gen_random_uuid(), now() + interval '1 second')`;
    expect((await hosting.now.setUp(project.admin)).body).toMatchObject({ created: 1, failed: 0 });
    expect(await sql`select name from claims`).toEqual([]);
  });

  test("a call that another took over from does nothing more, and leaves it that one's claim", async () => {
    const { github, harness: { sql } } = hosting.now;
    const project = await hosting.now.project(1);
    github.latency = 500;
    const answer = hosting.now.setUp(project.admin);
    await until(async () => (await sql`update claims set holder = gen_random_uuid()`).count > 0);
    github.latency = 0;
    expect((await answer).body.results).toMatchObject([{ status: "failed", code: "set_up_in_progress" }]);
    expect(await sql`delete from claims returning name`).toHaveLength(1);
  });

  test("without a secret of its own the service sets no hooks up", async () => {
    const harness = await openHarness({ env: { GITHUB_API_URL: hosting.now.github.url } });
    try {
      const admin = await makeUser(harness, { role: "admin" });
      await makeProject(harness, { admin, repositories: ["acme/unset"] });
      const token = "ghp_unset0000000000000000";
      hosting.now.github.state.addToken(token);
      await harness.call("PUT", "/integrations/github", { token: admin.token, body: { token } });
      const { status, body } = await harness.call("POST", "/integrations/webhooks", {
        headers: cookie(admin),
        body: {},
      });
      expect([status, body.code]).toEqual([503, "not_configured"]);
    } finally {
      await harness.close();
    }
  });
});
