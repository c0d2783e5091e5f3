import { describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { makeKey, makeProject, makeUser } from "../factories.ts";
import { encrypt } from "../../src/core/encryption.ts";
import { loadSecrets } from "../../src/core/secrets.ts";
import { logged } from "../logged.ts";
import { useHosting } from "./hosting.ts";

const hosting = useHosting({ ENCRYPTION_KEY: "first-encryption-key-of-this-test" });

describe("a linked account", () => {
  test("is linked, shown, replaced and unlinked, never with its token", async () => {
    const { harness, github } = hosting.now;
    const user = await makeUser(harness);
    const path = "/integrations/github";
    const before = await harness.call("GET", path, { token: user.token });
    expect(before.body).toEqual({
      provider: "github",
      state: "not_linked",
      login: null,
      scopes: null,
      linked_at: null,
    });
    github.state.addToken("ghp_first000000000000000", {
      login: "first",
      scopes: ["admin:repo_hook", "public_repo"],
    });
    github.state.addToken("github_pat_second0000000", { login: "second", scopes: null });
    const first = await harness.call("PUT", path, {
      token: user.token,
      body: { token: " ghp_first000000000000000\n" },
    });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      state: "active",
      login: "first",
      scopes: ["admin:repo_hook", "public_repo"],
    });
    const second = await harness.call("PUT", path, {
      token: user.token,
      body: { token: "github_pat_second0000000" },
    });
    expect(second.body).toMatchObject({ state: "active", login: "second", scopes: null });
    expect(Date.parse(second.body.linked_at)).toBeGreaterThan(Date.parse(first.body.linked_at));
    expect((await harness.call("GET", path, { token: user.token })).body).toEqual(second.body);
    for (let time = 0; time < 2; time++) {
      expect((await harness.call("DELETE", path, { token: user.token })).status).toBe(204);
    }
    expect((await harness.call("GET", path, { token: user.token })).body).toEqual(before.body);
    const audit = await harness.sql`select action from audit_log where target_id = ${user.id} order by id`;
    expect(audit.map(({ action }) => action)).toEqual([
      "code_hosting.linked",
      "code_hosting.linked",
      "code_hosting.unlinked",
    ]);
  });

  test("is forgotten with its token when its owner leaves, who could no longer unlink it", async () => {
    const { harness, github } = hosting.now;
    const admin = await makeUser(harness, { role: "admin" });
    const [left, leaving] = [
      await makeUser(harness, { accountId: admin.accountId }),
      await makeUser(harness, { accountId: admin.accountId }),
    ];
    const body = { token: "ghp_leaving0000000000000" };
    github.state.addToken(body.token, { login: "leaving", scopes: ["repo"] });
    const link = ({ token }: { token: string }) =>
      harness.call("PUT", "/integrations/github", { token, body });
    expect((await link(left)).status).toBe(200);
    expect((await harness.call("DELETE", `/users/${left.id}`, { token: admin.token })).status).toBe(204);
    const [late] = await behindLock(
      harness,
      (tx) => tx`update users set deactivated_at = now() where id = ${leaving.id}::uuid`,
      () => link(leaving),
    );
    expect(late!.status).toBe(401);
    expect(
      await harness.sql`
        select login from code_hosting_accounts where user_id in (${left.id}::uuid, ${leaving.id}::uuid)`,
    ).toEqual([]);
  });

  test("needs scopes, and what is missing is named", async () => {
    const { harness, github } = hosting.now;
    const user = await makeUser(harness);
    const cases: [string[], RegExp][] = [
      [[], /admin:repo_hook or write:repo_hook or repo .*, and public_repo or repo/],
      [["public_repo", "gist"], /scope admin:repo_hook or write:repo_hook or repo \(to set up webhooks\)$/],
      [["write:repo_hook"], /scope public_repo or repo \(to create issues\)$/],
    ];
    for (const [index, [scopes, expected]] of cases.entries()) {
      const token = `ghp_poor0000000000000000${index}`;
      github.state.addToken(token, { scopes });
      const { status, body } = await harness.call("PUT", "/integrations/github", {
        token: user.token,
        body: { token },
      });
      expect([status, body.code]).toEqual([400, "invalid_request"]);
      expect(body.fieldErrors.token).toMatch(expected);
    }
    expect((await harness.call("GET", "/integrations/github", { token: user.token })).body.state).toBe(
      "not_linked",
    );
  });

  test("needs no scopes of a token that has none by its kind, however GitHub says so", async () => {
    const { harness, github } = hosting.now;
    const user = await makeUser(harness);
    for (const token of ["github_pat_kind00000000000", "ghu_kind00000000000000"]) {
      for (const scopes of [null, []]) {
        github.state.addToken(token, { scopes });
        const { status, body } = await harness.call("PUT", "/integrations/github", {
          token: user.token,
          body: { token },
        });
        expect([status, body.scopes]).toEqual([200, null]);
      }
    }
  });

  test("is not made of what GitHub does not vouch for", async () => {
    const { harness, github } = hosting.now;
    const user = await makeUser(harness);
    const token = "ghp_unknown00000000000000";
    const put = (body: unknown) => harness.call("PUT", "/integrations/github", { token: user.token, body });
    for (
      const body of [{}, { token: 5 }, { token: "short" }, { token: `ghp_${"é".repeat(30)}` }, {
        token,
        login: "me",
      }]
    ) {
      expect((await put(body)).status).toBe(400);
    }
    const unknown = await put({ token });
    expect(unknown.body.fieldErrors).toEqual({ token: "GitHub does not accept this token" });
    github.state.addToken(token);
    const failing = async (kind: "secondary_rate_limit" | "server_error" | "garbage" | "lost_answer") => {
      github.failures.add({ kind, times: 3, wait: 90 });
      const answer = await put({ token });
      github.failures.clear();
      return answer;
    };
    const limited = await failing("secondary_rate_limit");
    expect([limited.status, limited.body.code, limited.body.retryAfter]).toEqual([429, "rate_limited", 90]);
    expect(limited.headers.get("retry-after")).toBe("90");
    for (const kind of ["server_error", "garbage", "lost_answer"] as const) {
      const { status, body } = await failing(kind);
      expect([status, body.code], kind).toEqual([503, "unavailable"]);
    }
    // Reads are tried again, so two failures don't fail the call.
    github.failures.add({ kind: "server_error", times: 2 });
    expect((await put({ token })).status).toBe(200);
  });

  test("that GitHub keeps from being linked says over REST and tRPC when to try again", async () => {
    const { harness, github } = hosting.now;
    const { token } = await makeUser(harness);
    const input = { token: "ghp_limited00000000000000" };
    github.state.addToken(input.token);
    const calls = [
      ["PUT", "/api/integrations/github", input],
      ["POST", "/trpc/integrations.linkAccount", { json: input }],
    ] as const;
    const failures = [["secondary_rate_limit", [429, "90"]], ["server_error", [503, "5"]]] as const;
    for (const [method, path, body] of calls) {
      for (const [kind, expected] of failures) {
        github.failures.add({ kind, times: 3, wait: 90 });
        const response = await harness.request(method, path, { token, body });
        await response.body?.cancel();
        expect([response.status, response.headers.get("retry-after")], path).toEqual(expected);
        github.failures.clear();
      }
    }
  });

  test("stands as refused until GitHub takes its token again", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const state = async () =>
      (await harness.call("GET", "/integrations/github", { token: project.admin.token })).body.state;
    github.failures.add({ kind: "bad_credentials", times: 9 });
    expect((await hosting.now.setUp(project.admin)).status).toBe(401);
    expect((await hosting.now.setUp(project.admin)).status).toBe(401);
    expect(await state()).toBe("refused");
    github.failures.clear();
    expect((await hosting.now.setUp(project.admin)).status).toBe(200);
    expect(await state()).toBe("active");
    const before = harness.statements.length;
    await hosting.now.setUp(project.admin);
    expect(harness.statements.slice(before).filter((text) => /update code_hosting_accounts/.test(text)))
      .toEqual([]);
  });

  test("is refused to API keys", async () => {
    const { harness } = hosting.now;
    const user = await makeUser(harness);
    const key = await makeKey(harness, user, { scopes: ["admin"] });
    const { status, body } = await harness.call("GET", "/integrations/github", { token: key.token });
    expect([status, body.code]).toEqual([403, "insufficient_scope"]);
  });
});

describe("a stored token", () => {
  test("gives way to one that is linked while it moves to a new encryption key", async () => {
    const { harness } = hosting.now;
    const user = await makeUser(harness);
    await hosting.now.link(user);
    const { config, queue, secrets, sql } = harness.services;
    const before = secrets.encryption;
    const ENCRYPTION_KEY = ["second-encryption-key-of-this-test", "first-encryption-key-of-this-test"];
    secrets.encryption = (await loadSecrets({ ...config, ENCRYPTION_KEY })).encryption;
    const token = encrypt(secrets.encryption, "ghp_linked_meanwhile", `code_hosting_accounts/${user.id}`);
    await queue.enqueue(sql, "renew-tokens", {});
    await behindLock<unknown>(
      harness,
      (tx) => tx`update code_hosting_accounts set token = ${token} where user_id = ${user.id}::uuid`,
      () => harness.work("renew-tokens"),
    );
    secrets.encryption = before;
    expect(await sql`select token from code_hosting_accounts where user_id = ${user.id}::uuid`).toEqual([{
      token,
    }]);
  });

  test(
    "moves to a new encryption key by a job, which takes as many as there are, past those that no key reads",
    async () => {
      const { harness } = hosting.now;
      const admin = await makeUser(harness);
      const { config, secrets, sql } = harness.services;
      const users = await sql<{ user_id: string }[]>`
      insert into users (id, account_id, email, name, kind, role)
      select gen_random_uuid(), ${admin.accountId}::uuid, 'linked' || n || '@example.test', 'Linked', 'human', 'member'
      from generate_series(1, 202) n returning id as user_id`;
      const rows = users.map(({ user_id }, index) => {
        const token = encrypt(secrets.encryption, "ghp_one_of_many", `code_hosting_accounts/${user_id}`);
        const login = index % 2 ? "lost" : "many";
        return { user_id, token: login === "lost" ? "v1.gone.token" : token, login, provider_user_id: 1 };
      });
      await sql`insert into code_hosting_accounts ${sql(rows)}`;
      const before = secrets.encryption;
      const ENCRYPTION_KEY = ["second-encryption-key-of-this-test", "first-encryption-key-of-this-test"];
      secrets.encryption = (await loadSecrets({ ...config, ENCRYPTION_KEY })).encryption;
      const log = await logged(() => harness.run("renew-tokens"));
      expect(log).toContain('"rows":101');
      const keys = await sql`
      select split_part(token, '.', 2) as id, count(*) as tokens from code_hosting_accounts where login = 'many' group by 1`;
      expect(keys).toEqual([{ id: secrets.encryption[0].id, tokens: 101 }]);
      secrets.encryption = before;
      await sql`delete from code_hosting_accounts where login in ('many', 'lost')`;
    },
    60_000,
  );

  test("moves to a new encryption key when it is used, and asks to reconnect when its key is gone", async () => {
    const { harness, github } = hosting.now;
    const project = await makeProject(harness, { repositories: ["acme/rotated"] });
    github.state.addRepository("acme/rotated");
    await hosting.now.link(project.admin);
    const stored = async () => {
      const [row] = await harness
        .sql`select token from code_hosting_accounts where user_id = ${project.admin.id}::uuid`;
      return String(row!.token);
    };
    const first = await stored();
    const { config, secrets } = harness.services;
    const [old] = secrets.encryption;
    const rotated = await loadSecrets({
      ...config,
      ENCRYPTION_KEY: ["second-encryption-key-of-this-test", "first-encryption-key-of-this-test"],
    });
    secrets.encryption = rotated.encryption;
    expect((await hosting.now.setUp(project.admin)).body.created).toBe(1);
    expect(await stored()).not.toBe(first);
    secrets.encryption = [rotated.encryption[0]];
    expect((await hosting.now.setUp(project.admin)).body.unchanged).toBe(1);
    secrets.encryption = [old];
    const { status, body } = await hosting.now.setUp(project.admin);
    expect([status, body.code, body.reconnect]).toEqual([401, "code_hosting_not_linked", true]);
    const state = async () =>
      (await harness.call("GET", "/integrations/github", { token: project.admin.token })).body.state;
    expect(await state()).toBe("refused");
    secrets.encryption = [rotated.encryption[0], old];
    expect((await hosting.now.setUp(project.admin)).body.unchanged).toBe(1);
    expect(await state()).toBe("active");
    secrets.encryption = [old];
  });
});
