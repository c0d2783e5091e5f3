import { describe, expect, test } from "vitest";
import { makeKey, makeMember, makeProject, makeTicket, makeUser } from "../factories.ts";
import { openHarness } from "../harness.ts";
import { until } from "../until.ts";
import { useHosting } from "./hosting.ts";

const hosting = useHosting();
const NOTHING = { issue_number: null, issue_url: null, repo_full_name: null };

async function linkOf(ticket: { path: string }, token: string) {
  const { status, body } = await hosting.now.harness.call("GET", `${ticket.path}/github-issue`, { token });
  expect(status).toBe(200);
  return body;
}

describe("linking a ticket to an issue", () => {
  test("goes by repository and number, by number, or by URL, and can be taken back", async () => {
    const { harness, github } = hosting.now;
    const project = await makeProject(harness, { repositories: ["acme/Handoff"] });
    const ticket = await makeTicket(harness, project);
    const { token } = project.admin;
    expect(await linkOf(ticket, token)).toEqual(NOTHING);
    const url = (repo: string, number: number) => `${github.url}/${repo}/issues/${number}`;
    const cases = [
      [{ repo_full_name: "other/repo", issue_number: 3 }, "other/repo", 3],
      [{ repo_full_name: ".other/..repo.", issue_number: 4 }, ".other/..repo.", 4],
      [{ issue_number: 12 }, "acme/Handoff", 12],
      [{ issue_url: `${url("acme/site", 7)}?a=b#issuecomment-1` }, "acme/site", 7],
      [{ issue_url: url("acme/Site", 7), repo_full_name: "acme/site", issue_number: 7 }, "acme/site", 7],
    ] as const;
    for (const [body, repo, number] of cases) {
      const { status, body: linked } = await harness.call("PUT", `${ticket.path}/github-issue`, {
        token,
        body,
      });
      expect(status).toBe(200);
      expect(linked).toEqual({ issue_number: number, issue_url: url(repo, number), repo_full_name: repo });
      expect(await linkOf(ticket, token)).toEqual(linked);
    }
    for (let time = 0; time < 2; time++) {
      expect((await harness.call("DELETE", `${ticket.path}/github-issue`, { token })).status).toBe(204);
    }
    expect(await linkOf(ticket, token)).toEqual(NOTHING);
    const history = await harness.sql`
      select action, field, to_value, actor ->> 'id' as by from history_entries
      where ticket_id = ${ticket.id}::uuid and entity = 'linked_issue' order by id`;
    expect(history[0]).toMatchObject({
      action: "created",
      to_value: { repo_full_name: "other/repo", issue_number: 3 },
    });
    expect(history.filter(({ field }) => field === "issue_number").map(({ to_value }) => to_value)).toEqual([
      4,
      12,
      7,
    ]);
    expect(history.at(-1)).toMatchObject({ action: "deleted", by: project.admin.id });
  });

  test("goes by the addresses of a tenant of GHE.com, whose API has a host of its own", async () => {
    const harness = await openHarness({ env: { GITHUB_API_URL: "https://api.octocorp.ghe.com" } });
    try {
      const project = await makeProject(harness, { repositories: ["acme/handoff"] });
      const { path } = await makeTicket(harness, project);
      const issue_url = "https://octocorp.ghe.com/acme/handoff/issues/7";
      for (const body of [{ issue_number: 7 }, { issue_url }]) {
        const answer = await harness.call("PUT", `${path}/github-issue`, {
          token: project.admin.token,
          body,
        });
        expect([answer.status, answer.body.issue_url]).toEqual([200, issue_url]);
      }
    } finally {
      await harness.close();
    }
  });

  test("refuses what names no issue", async () => {
    const { harness, github } = hosting.now;
    const project = await makeProject(harness, { repositories: ["acme/one", "acme/two"] });
    const ticket = await makeTicket(harness, project);
    const cases = [
      [{}, "issue_number"],
      [{ issue_number: 1 }, "repo_full_name"],
      [{ repo_full_name: "acme", issue_number: 1 }, "repo_full_name"],
      [{ repo_full_name: "../..", issue_number: 1 }, "repo_full_name"],
      [{ repo_full_name: "acme/.", issue_number: 1 }, "repo_full_name"],
      [{ repo_full_name: "acme/one", issue_number: 0 }, "issue_number"],
      [{ repo_full_name: "acme/one", issue_number: 2 ** 31 }, "issue_number"],
      [{ repo_full_name: "acme/one", issue_number: "1" }, "issue_number"],
      [{ issue_url: "https://elsewhere.test/acme/one/issues/1" }, "issue_url"],
      [{ issue_url: `${github.url}/acme/one/pull/1` }, "issue_url"],
      [{ issue_url: `${github.url}/acme/one/issues/0` }, "issue_url"],
      [{ issue_url: `${github.url}/acme/%00/issues/1` }, "issue_url"],
      [{ issue_url: "javascript:alert(1)" }, "issue_url"],
      [{ issue_url: `${github.url}/acme/one/issues/1`, issue_number: 2 }, "issue_number"],
      [{ issue_url: `${github.url}/acme/one/issues/1`, repo_full_name: "acme/two" }, "repo_full_name"],
      [{ repo_full_name: "acme/one", issue_number: 1, url: "x" }, "url"],
    ] as const;
    for (const [body, field] of cases) {
      const answer = await harness.call("PUT", `${ticket.path}/github-issue`, {
        token: project.admin.token,
        body,
      });
      expect([answer.status, Object.keys(answer.body.fieldErrors)], JSON.stringify(body)).toEqual([400, [
        field,
      ]]);
    }
    expect(await linkOf(ticket, project.admin.token)).toEqual(NOTHING);
  });

  test("is for members; strangers and unknown tickets are not found", async () => {
    const { harness } = hosting.now;
    const project = await makeProject(harness, { repositories: ["acme/one"] });
    const ticket = await makeTicket(harness, project);
    const stranger = await makeUser(harness, { role: "admin" });
    const viewer = await makeMember(harness, project, "viewer");
    const path = `${ticket.path}/github-issue`;
    expect((await harness.call("GET", path, { token: viewer.token })).status).toBe(200);
    expect((await harness.call("PUT", path, { token: viewer.token, body: { issue_number: 1 } })).status).toBe(
      403,
    );
    const unknown = `${project.path}/tickets/${crypto.randomUUID()}/github-issue`;
    for (const [where, { token }] of [[path, stranger], [unknown, project.admin]] as const) {
      for (const method of ["GET", "PUT", "DELETE", "POST"]) {
        const body = method === "GET" ? {} : { body: method === "PUT" ? { issue_number: 1 } : {} };
        expect((await harness.call(method, where, { token, ...body })).status, `${method} ${where}`).toBe(
          404,
        );
      }
    }
  });
});

describe("creating an issue from a ticket", () => {
  test("carries the ticket's text, links it, and happens once", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    const ticket = await makeTicket(harness, project, {
      title: "A ticket's title",
      description: "What is to be done.",
    });
    github.latency = 20;
    const answers = await Promise.all(
      Array.from(
        { length: 4 },
        () => harness.call("POST", `${ticket.path}/github-issue`, { token: project.admin.token, body: {} }),
      ),
    );
    github.latency = 0;
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const made = answers.find(({ status }) => status === 201)!;
    expect(made.body).toEqual({
      issue_number: 1,
      issue_url: `${github.url}/${repo}/issues/1`,
      repo_full_name: repo,
    });
    expect(made.headers.get("location")).toBe(`/api${ticket.path}/github-issue`);
    const [issue, ...others] = github.state.repository(repo)!.issues;
    expect(others).toEqual([]);
    expect(issue!.title).toBe("A ticket's title");
    expect(issue!.body).toMatch(/^What is to be done\.\n/);
    expect(issue!.body).toContain(
      `[${ticket.ref}](http://handoff.test/${project.key}/tickets/${ticket.ref})`,
    );
    expect(await linkOf(ticket, project.admin.token)).toEqual(made.body);
    const again = await harness.call("POST", `${ticket.path}/github-issue`, {
      token: project.admin.token,
      body: {},
    });
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);
  });

  test("finds the issue whose answer was lost, in this call or an earlier one", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    const create = (ticket: { path: string }) =>
      harness.call("POST", `${ticket.path}/github-issue`, { token: project.admin.token, body: {} });
    const one = await makeTicket(harness, project);
    github.failures.add({ kind: "lost_answer", operation: "issues/create" });
    expect((await create(one)).status).toBe(201);
    const two = await makeTicket(harness, project);
    github.failures.add({ kind: "lost_answer", operation: "issues/create" });
    github.failures.add({ kind: "server_error", operation: "issues/list-for-repo", after: 1, times: 3 });
    expect((await create(two)).status).toBe(503);
    github.failures.clear();
    expect((await create(two)).body.issue_number).toBe(2);
    expect(github.state.repository(repo)!.issues).toHaveLength(2);
  });

  test("finds it with any clock of the code host, and who has closed it since", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    const ticket = await makeTicket(harness, project);
    const create = () =>
      harness.call("POST", `${ticket.path}/github-issue`, { token: project.admin.token, body: {} });
    github.state.clockAhead = -60_000;
    github.failures.add({ kind: "lost_answer", operation: "issues/create" });
    github.failures.add({ kind: "server_error", operation: "issues/list-for-repo", after: 1, times: 3 });
    expect((await create()).status).toBe(503);
    github.failures.clear();
    github.state.clockAhead = 0;
    github.state.repository(repo)!.issues[0]!.state = "closed";
    expect((await create()).body.issue_number).toBe(1);
    expect(github.state.repository(repo)!.issues).toHaveLength(1);
  });

  test("links it without what of its title cannot be kept", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    const ticket = await makeTicket(harness, project);
    const { token } = project.admin;
    const path = `${ticket.path}/github-issue`;
    await harness.call("POST", path, { token, body: {} });
    await harness.call("DELETE", path, { token });
    github.state.repository(repo)!.issues[0]!.title = "Re\0named";
    expect((await harness.call("POST", path, { token, body: {} })).body.issue_number).toBe(1);
    const [link] = await harness.sql`select title from ticket_issues where ticket_id = ${ticket.id}::uuid`;
    expect(link!.title).toBe("Renamed");
  });

  test("takes a number that no issue has for no answer of the code host's", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const ticket = await makeTicket(harness, project);
    const { token } = project.admin;
    const path = `${ticket.path}/github-issue`;
    await harness.call("POST", path, { token, body: {} });
    await harness.call("DELETE", path, { token });
    const [issue] = github.state.repository(project.repositories[0]!)!.issues;
    issue!.number = 2 ** 31;
    const refused = await harness.call("POST", path, { token, body: {} });
    expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
  });

  test("does not take a pull request that repeats the issue's text for the issue", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const { issues } = github.state.repository(project.repositories[0]!)!;
    const ticket = await makeTicket(harness, project);
    const { token } = project.admin;
    const path = `${ticket.path}/github-issue`;
    await harness.call("POST", path, { token, body: {} });
    issues.push({ ...issues[0]!, number: 2, isPullRequest: true });
    await harness.call("DELETE", path, { token });
    expect((await harness.call("POST", path, { token, body: {} })).body.issue_number).toBe(1);
  });

  test("finds the issue whose record was lost, no matter who calls next", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    const ticket = await makeTicket(harness, project);
    const other = await makeMember(harness, project, "member");
    await hosting.now.link(other);
    const create = ({ token }: { token: string }) =>
      harness.call("POST", `${ticket.path}/github-issue`, { token, body: {} });
    await harness.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$;
      create trigger refuse before insert on ticket_issues for each row execute function refuse()`);
    expect((await create(project.admin)).status).toBe(500);
    await harness.sql.unsafe("drop trigger refuse on ticket_issues; drop function refuse()");
    const { status, body } = await create(other);
    expect([status, body.issue_number]).toEqual([201, 1]);
    expect(github.state.repository(repo)!.issues).toHaveLength(1);
  });

  test("does not take another's issue with the ticket's mark for its own", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    const [ticket, copy] = [await makeTicket(harness, project), await makeTicket(harness, project)];
    const forger = await makeMember(harness, project, "member");
    await hosting.now.link(forger);
    const create = ({ path }: { path: string }, { token }: { token: string }) =>
      harness.call("POST", `${path}/github-issue`, { token, body: {} });
    await create(copy, forger);
    const forged = github.state.repository(repo)!.issues[0]!;
    forged.body = forged.body!.replace(copy.id, ticket.id);
    expect((await create(ticket, project.admin)).body.issue_number).toBe(2);
  });

  test("does not take the issue of a ticket that quotes another's issue for that one's", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const { issues } = github.state.repository(project.repositories[0]!)!;
    const create = async (ticket: { path: string }) =>
      (await harness.call("POST", `${ticket.path}/github-issue`, { token: project.admin.token, body: {} }))
        .body
        .issue_number;
    const first = await makeTicket(harness, project);
    expect(await create(first)).toBe(1);
    const quoting = await makeTicket(harness, project, { description: `As before:\n\n${issues[0]!.body}` });
    expect(await create(quoting)).toBe(2);
    issues[1]!.body += "\n\nSomeone added a line.";
    for (const [ticket, number] of [[first, 1], [quoting, 2]] as const) {
      await harness.call("DELETE", `${ticket.path}/github-issue`, { token: project.admin.token });
      expect(await create(ticket)).toBe(number);
    }
  });

  test("is made although the code host no longer knows who was asked before", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const ticket = await makeTicket(harness, project);
    github.failures.add({ kind: "validation_failed", operation: "issues/list-for-repo" });
    const { token } = project.admin;
    expect((await harness.call("POST", `${ticket.path}/github-issue`, { token, body: {} })).status).toBe(201);
  });

  test("names the place that the repository was renamed to, where its events are found", async () => {
    const { harness, github, events } = hosting.now;
    const project = await hosting.now.project(1);
    const [repo] = project.repositories as [string];
    github.state.addRepository("acme/Renamed");
    github.state.repository(repo)!.movedTo = "acme/Renamed";
    const ticket = await makeTicket(harness, project);
    const { token } = project.admin;
    const { status, body } = await harness.call("POST", `${ticket.path}/github-issue`, { token, body: {} });
    expect([status, body]).toEqual([201, {
      issue_number: 1,
      issue_url: `${github.url}/acme/Renamed/issues/1`,
      repo_full_name: "acme/Renamed",
    }]);
    await harness.call("PUT", `${project.path}/repositories`, {
      token,
      body: { repositories: ["acme/renamed"] },
    });
    await hosting.now.deliver(events.issue({ repo: "acme/Renamed", number: 1, action: "deleted" }));
    expect(await linkOf(ticket, token)).toEqual(NOTHING);
  });

  test("is not made by a call that another took over from", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(1);
    const ticket = await makeTicket(harness, project);
    github.latency = 2000;
    const answer = harness.call("POST", `${ticket.path}/github-issue`, {
      token: project.admin.token,
      body: {},
    });
    await until(async () => (await harness.sql`update claims set holder = gen_random_uuid()`).count > 0);
    github.latency = 0;
    expect([(await answer).status, (await answer).body.code]).toEqual([503, "unavailable"]);
    expect(github.state.repository(project.repositories[0]!)!.issues).toEqual([]);
    await harness.sql`delete from claims`;
  });

  test("fails as the code host does", async () => {
    const { harness, github } = hosting.now;
    const project = await hosting.now.project(2);
    const [repo, second] = project.repositories as [string, string];
    const ticket = await makeTicket(harness, project);
    const create = (body: unknown = { repo_full_name: repo.toUpperCase() }, token = project.admin.token) =>
      harness.call("POST", `${ticket.path}/github-issue`, { token, body });
    expect((await create({})).body.fieldErrors).toEqual({
      repo_full_name: "Required: the project has several repositories",
    });
    await makeProject(harness, { repositories: ["acme/foreign"] });
    expect((await create({ repo_full_name: "acme/foreign" })).body.fieldErrors).toEqual({
      repo_full_name: "Is not a repository of this project",
    });
    const cases = [
      ["forbidden", 403, "forbidden"],
      ["not_found", 403, "forbidden"],
      ["validation_failed", 409, "conflict"],
      ["secondary_rate_limit", 429, "rate_limited"],
      ["server_error", 503, "unavailable"],
      ["bad_credentials", 401, "code_hosting_not_linked"],
    ] as const;
    for (const [kind, status, code] of cases) {
      github.failures.add({ kind, operation: "issues/create", wait: 77 });
      const answer = await create();
      github.failures.clear();
      expect([answer.status, answer.body.code], kind).toEqual([status, code]);
      expect(answer.body.retryAfter).toBe(status === 429 ? 77 : undefined);
      expect(answer.body.reconnect).toBe(status === 401 ? true : undefined);
    }
    const options = { token: project.admin.token };
    expect((await harness.call("GET", "/integrations/github", options)).body.state).toBe("refused");
    expect(github.state.repository(repo)!.issues).toEqual([]);
    const member = await makeMember(harness, project, "member");
    const unlinked = await create(undefined, member.token);
    expect([unlinked.status, unlinked.body.code, unlinked.body.reconnect]).toEqual([
      401,
      "code_hosting_not_linked",
      true,
    ]);
    // A key acts for its owner, with the owner's linked account.
    const key = await makeKey(harness, project.admin);
    expect((await create({ repo_full_name: second }, key.token)).status).toBe(201);
  });
});
