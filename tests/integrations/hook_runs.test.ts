import { describe, expect, test } from "vitest";
import type { Sql, TransactionSql } from "../../db/open.ts";
import { systemContext } from "../../src/core/context.ts";
import { continueHookRun } from "../../src/integrations/continue_hook_run.ts";
import { makeMember, makeProject, makeUser, type TestUser } from "../factories.ts";
import { useHosting } from "./hosting.ts";

const hosting = useHosting();

interface Result {
  repo: string;
  status: string;
  code?: string;
  hook_id: number | null;
}

/** Lets the job work until the run is over. */
async function finish(user: TestUser, runId: string) {
  for (let round = 0; round < 30; round++) {
    const { body } = await read(user, runId);
    if (body.finished_at !== null) return body;
    await hosting.now.harness.work("set-up-hooks");
  }
  throw new Error("the run does not end");
}

function read(user: TestUser, runId: string) {
  return hosting.now.harness.call("GET", `/integrations/webhooks/${runId}`, { token: user.token });
}

async function databaseTime(): Promise<number> {
  const [row] = await hosting.now.harness.sql<[{ now: string }]>`select now()`;
  return Date.parse(row.now);
}

function addsUp(body: Record<string, number> & { results: Result[] }) {
  const { created, updated, unchanged, failed, pending, total, results } = body;
  const count = (status: string) => results.filter((one) => one.status === status).length;
  expect([created, updated, unchanged, failed]).toEqual(
    ["created", "updated", "unchanged", "failed"].map(count),
  );
  expect(results.length + (pending ?? 0)).toBe(total ?? results.length);
}

describe("more than twenty repositories", () => {
  test("a hundred with random failures give results that add up, and a second call changes nothing", async () => {
    const { github } = hosting.now;
    const { admin, repositories } = await hosting.now.project(100);
    const kinds = ["server_error", "lost_answer", "forbidden", "garbage", "hook_exists"] as const;
    for (const kind of kinds) github.failures.add({ kind, chance: 0.04, times: 1000 });
    const started = await hosting.now.setUp(admin);
    expect(started.status).toBe(202);
    expect(started.body).toMatchObject({ state: "queued", total: 100, pending: 100, results: [] });
    expect(started.headers.get("location")).toBe(`/api/integrations/webhooks/${started.body.run_id}`);
    addsUp(started.body);
    const audited = await hosting.now.harness.sql`
      select action, actor ->> 'id' as by, details from audit_log where target_id = ${started.body.run_id}`;
    const action = "code_hosting.hook_run_started";
    expect(audited).toEqual([{ action, by: admin.id, details: { repositories: 100 } }]);

    let done = await finish(admin, started.body.run_id);
    addsUp(done);
    expect(done).toMatchObject({ state: "done", total: 100, pending: 0, reconnect: false, code: null });
    expect(done.failed).toBeGreaterThan(0);
    expect(done.created).toBeGreaterThan(50);
    // No failure left two hooks, and each hook that the run reported exists.
    for (const { repo, status, hook_id } of done.results as Result[]) {
      const hooks = github.state.repository(repo)!.hooks;
      expect(hooks.length).toBeLessThanOrEqual(1);
      if (status !== "failed") expect(hooks[0]!.id).toBe(hook_id);
    }

    github.failures.clear();
    done = await finish(admin, (await hosting.now.setUp(admin)).body.run_id);
    addsUp(done);
    expect(done.failed).toBe(0);
    expect(repositories.every((repo) => github.state.repository(repo)!.hooks.length === 1)).toBe(true);
    const writes = () =>
      github.calls.filter(({ operation }) => /create|update|delete/.test(operation)).length;
    const before = writes();
    done = await finish(admin, (await hosting.now.setUp(admin)).body.run_id);
    expect(done).toMatchObject({ unchanged: 100, created: 0, updated: 0, failed: 0 });
    expect(writes()).toBe(before);
  });

  test("shows its progress to its user alone", async () => {
    const { admin } = await hosting.now.project(21);
    const { body } = await hosting.now.setUp(admin);
    const other = await makeUser(hosting.now.harness, { role: "super_admin" });
    expect((await read(other, body.run_id)).status).toBe(404);
    expect((await read(admin, crypto.randomUUID())).status).toBe(404);
    expect((await read(admin, body.run_id)).body).toMatchObject({ state: "queued", pending: 21 });
    expect(await finish(admin, body.run_id)).toMatchObject({ state: "done", created: 21 });
  });

  test("a repository of two projects is set up once, and unchanged in the second", async () => {
    const one = await hosting.now.project(21);
    const [shared] = one.repositories as [string];
    const other = await makeProject(hosting.now.harness, {
      admin: one.admin,
      repositories: [shared.toUpperCase()],
    });
    const { body } = await hosting.now.setUp(one.admin);
    const done = await finish(one.admin, body.run_id);
    addsUp(done);
    expect(done).toMatchObject({ state: "done", created: 21, unchanged: 1, failed: 0 });
    const again = done.results.find(({ status }: Result) => status === "unchanged");
    expect(again).toMatchObject({
      project_id: other.id,
      hook_id: hosting.now.github.state.repository(shared)!.hooks[0]!.id,
    });
  });

  test("says why one failed in words that can be kept, no matter what GitHub says", async () => {
    const { github } = hosting.now;
    const { admin, repositories } = await hosting.now.project(21);
    const { body } = await hosting.now.setUp(admin);
    github.failures.add({
      kind: "validation_failed",
      operation: "repos/create-webhook",
      repo: repositories[0]!,
      errors: ["Too\0 many"],
      times: 100,
    });
    const done = await finish(admin, body.run_id);
    expect(done).toMatchObject({ state: "done", created: 20, failed: 1 });
    const failed = done.results.find(({ status }: Result) => status === "failed");
    expect(failed.error).toBe("GitHub refused: Too many");
  });

  test("waits for the end of a rate limit, and goes on where it was", async () => {
    const { github } = hosting.now;
    const { admin } = await hosting.now.project(25);
    const { body } = await hosting.now.setUp(admin);
    // The first ten calls are answered.
    github.failures.add({ after: 10, kind: "primary_rate_limit", times: 4, wait: 600 });
    await hosting.now.harness.work("set-up-hooks");
    const waiting = (await read(admin, body.run_id)).body;
    addsUp(waiting);
    expect(waiting).toMatchObject({ state: "waiting", failed: 0 });
    expect(waiting.created).toBeGreaterThan(0);
    expect(waiting.pending).toBeGreaterThan(10);
    expect(Date.parse(waiting.resumes_at)).toBeGreaterThan(Date.now() + 500_000);
    github.failures.clear();
    const done = await finish(admin, body.run_id);
    expect(done).toMatchObject({ state: "done", created: 25, failed: 0 });
  });

  test.each([[0, 60], [3, 120], [11, 3600]])(
    "that had to wait %i times waits %i s when it is told to wait a minute",
    async (waits, seconds) => {
      const { harness, github } = hosting.now;
      const { admin } = await hosting.now.project(25);
      const { body } = await hosting.now.setUp(admin);
      await harness.sql`update hook_runs set waits = ${waits} where id = ${body.run_id}::uuid`;
      github.failures.add({ kind: "secondary_rate_limit", times: 100, wait: 60 });
      const begun = await databaseTime();
      await harness.work("set-up-hooks");
      const ended = await databaseTime();
      const { resumes_at, ...run } = (await read(admin, body.run_id)).body;
      expect(run).toMatchObject({ state: "waiting", failed: 0 });
      const limited = Date.parse(resumes_at) - seconds * 1000;
      expect(limited).toBeGreaterThanOrEqual(begun);
      expect(limited).toBeLessThanOrEqual(ended);
      github.failures.clear();
      await finish(admin, body.run_id);
    },
  );

  test("gives up when the rate is limited again after twelve times", async () => {
    const { harness, github } = hosting.now;
    const { admin } = await hosting.now.project(25);
    const { body } = await hosting.now.setUp(admin);
    await harness.sql`update hook_runs set waits = 12 where id = ${body.run_id}::uuid`;
    github.failures.add({ kind: "primary_rate_limit", times: 100, wait: 600 });
    await harness.work("set-up-hooks");
    expect((await read(admin, body.run_id)).body).toMatchObject({
      state: "failed",
      code: "provider_rate_limited",
    });
  });

  test("does nothing more for a user who has been deactivated since", async () => {
    const { harness, github } = hosting.now;
    const { admin } = await hosting.now.project(25);
    const { body } = await hosting.now.setUp(admin);
    await harness.sql`update users set deactivated_at = now() where id = ${admin.id}::uuid`;
    const before = github.calls.length;
    await harness.work("set-up-hooks");
    expect(github.calls).toHaveLength(before);
    const [run] = await harness.sql`select state, code from hook_runs where id = ${body.run_id}::uuid`;
    expect(run).toEqual({ state: "failed", code: "code_hosting_not_linked" });
  });

  test("ends with reconnect when the token is refused in the middle", async () => {
    const { github } = hosting.now;
    const { admin } = await hosting.now.project(25);
    const { body } = await hosting.now.setUp(admin);
    github.failures.add({ after: 10, kind: "bad_credentials", times: 100 });
    const done = await finish(admin, body.run_id);
    addsUp(done);
    expect(done).toMatchObject({ state: "failed", code: "code_hosting_not_linked", reconnect: true });
    expect(done.pending).toBeGreaterThan(0);
    expect(done.created).toBeGreaterThan(0);
  });

  test("leaves out the projects that its user has lost since", async () => {
    const { harness, github } = hosting.now;
    const kept = await hosting.now.project(10);
    const lost = await hosting.now.project(12);
    const user = await makeMember(harness, kept, "admin");
    await harness.sql`
      insert into project_members (project_id, user_id, role) values (${lost.id}::uuid, ${user.id}::uuid, 'admin')`;
    const [shared] = kept.repositories;
    await harness.sql`
      insert into project_repositories (project_id, full_name) values (${lost.id}::uuid, ${shared!})`;
    await hosting.now.link(user);
    const { body } = await hosting.now.setUp(user);
    expect(body).toMatchObject({ state: "queued", total: 23 });
    await harness.sql`
      delete from project_members where project_id = ${lost.id}::uuid and user_id = ${user.id}::uuid`;
    const done = await finish(user, body.run_id);
    addsUp(done);
    expect(done).toMatchObject({ state: "done", created: 10, failed: 13 });
    for (const { project_id, status, code } of done.results) {
      expect([status, code]).toEqual(
        project_id === lost.id ? ["failed", "no_admin_right"] : ["created", undefined],
      );
    }
    expect(lost.repositories.flatMap((repo) => github.state.repository(repo)!.hooks)).toEqual([]);
  });

  test("a job that dies leaves the rest to the next one", async () => {
    const { sql } = hosting.now.harness;
    const { admin } = await hosting.now.project(22);
    const { body } = await hosting.now.setUp(admin);
    await sql`alter table repository_hooks rename to repository_hooks_away`;
    await hosting.now.harness.work("set-up-hooks");
    await sql`alter table repository_hooks_away rename to repository_hooks`;
    expect((await read(admin, body.run_id)).body).toMatchObject({ state: "running", pending: 22 });
    const done = await finish(admin, body.run_id);
    expect(done).toMatchObject({ state: "done", failed: 0 });
    expect(done.created + done.updated).toBe(22);
  });

  test("a worker that comes last starts no finished run again", async () => {
    const { harness } = hosting.now;
    const { admin } = await hosting.now.project(22);
    const { body } = await hosting.now.setUp(admin);
    await harness.sql`
      insert into claims (name, holder, expires_at)
      select distinct 'hook:' || lower(repo), gen_random_uuid(), now() + interval '30 seconds'
      from hook_run_results where run_id = ${body.run_id}::uuid`;
    const { sql } = harness;
    /**
     * Another process does the rest of the work just before this process leaves the rest to the
     * next round.
     */
    const overtaken: Sql = new Proxy(sql, {
      get: (target, name) =>
        name !== "begin"
          ? Reflect.get(target, name)
          : async (work: (tx: TransactionSql) => Promise<void>) => {
            await sql`update hook_run_results set status = 'unchanged' where run_id = ${body.run_id}::uuid`;
            await sql`update hook_runs set state = 'done', finished_at = now() where id = ${body.run_id}::uuid`;
            return await target.begin(work);
          },
    });
    const ctx = systemContext({ ...harness.services, sql: overtaken }, { kind: "job", id: "late" }, "late");
    await continueHookRun(ctx, { run_id: body.run_id });
    await harness.sql`delete from claims where name like 'hook:%'`;
    await harness.work("set-up-hooks");
    expect((await read(admin, body.run_id)).body).toMatchObject({ state: "done", unchanged: 22, pending: 0 });
  });
});
