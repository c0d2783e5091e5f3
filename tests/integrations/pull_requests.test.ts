import { describe, expect, test } from "vitest";
import type { PullRequestFacts } from "../../simulators/github/events.ts";
import { makeProject, makeTicket, next, type TestProject, type TestTicket } from "../factories.ts";
import { useHosting } from "./_hosting.ts";

const hosting = useHosting({ CRON_SECRET: "deploy-secret" });

const SHA = (letter: string) => letter.repeat(40);

async function ticketOf({ path }: TestTicket, { admin }: TestProject) {
  return (await hosting.now.harness.call("GET", path, { token: admin.token })).body;
}

async function merge(facts: Partial<PullRequestFacts> & { repo: string }, id?: string) {
  const number = facts.number ?? next();
  const { status, body } = await hosting.now.deliver(
    hosting.now.events.pullRequest({ number, mergeSha: SHA("a"), ...facts }),
    id,
  );
  expect([status, body]).toEqual([200, { ok: true }]);
}

function wired(repo = `acme/repo-${next()}`) {
  return makeProject(hosting.now.harness, { repositories: [repo] }).then((project) => ({ project, repo }));
}

function deploy(repo: string, sha: string) {
  return hosting.now.harness.call("POST", "/webhooks/pipeline/deploy", {
    headers: { "x-cron-secret": "deploy-secret" },
    body: { repo, sha, environment: "production", status: "success" },
  });
}

describe("a merged pull request", () => {
  test("stamps the tickets that it names in title, body or branch, in the author's name of the sender", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const [title, body, branch, other] = await Promise.all(
      [1, 2, 3, 4].map(() => makeTicket(harness, project)),
    );
    await merge({
      repo: repo.toUpperCase(),
      title: `Fix the upload (${title!.ref})`,
      body: `Part of ${body!.ref}.`,
      branch: `feature/${branch!.ref.toLowerCase()}-upload`,
      mergeSha: SHA("AB").slice(0, 40),
    });
    for (const ticket of [title!, body!, branch!]) {
      expect(await ticketOf(ticket, project)).toMatchObject({
        merge_sha: SHA("ab").slice(0, 40),
        ship: "merged",
        version: 2,
      });
      const history = await harness.sql`
        select field, actor from history where ticket_id = ${ticket.id}::uuid and field = 'merge_sha'`;
      expect(history).toEqual([{ field: "merge_sha", actor: { kind: "webhook", id: "github" } }]);
    }
    expect(await ticketOf(other!, project)).toMatchObject({ merge_sha: null, version: 1 });
  });

  test.each([
    ["the title alone", (ref: string) => ({ title: ref }), true],
    ["a list", (ref: string) => ({ body: `* ${ref}, X1-3` }), true],
    ["a link", (ref: string) => ({ body: `see https://handoff.test/tickets/${ref}` }), true],
    ["emphasis", (ref: string) => ({ body: `_${ref}_` }), true],
    ["a branch with underscores", (ref: string) => ({ branch: `me/fix_${ref.toLowerCase()}_now` }), true],
    ["a longer number", (ref: string) => ({ title: `${ref}0` }), false],
    ["a longer key", (ref: string) => ({ title: `X${ref}` }), false],
    ["a word that goes on", (ref: string) => ({ title: `${ref}th` }), false],
    ["a version", (ref: string) => ({ title: `${ref}.4` }), false],
    ["small letters in a text", (ref: string) => ({ title: ref.toLowerCase() }), false],
    ["a template's hidden hint", (ref: string) => ({ body: `<!-- such as\n${ref} -->\nnothing` }), false],
    ["a hidden hint without an end", (ref: string) => ({ body: `text <!-- ${ref}` }), false],
  ])("is read for refs: %s", async (_, facts, found) => {
    const { project, repo } = await wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    await merge({ repo, ...facts(ticket.ref) });
    expect((await ticketOf(ticket, project)).merge_sha).toBe(found ? SHA("a") : null);
  });

  test.each([
    ["Closes #12", true],
    ["fixes: #12.", true],
    ["This RESOLVED #12, I think", true],
    ["close GH-12", true],
    ["Fixed acme/LINKED#12", true],
    ["resolves https://github.com/acme/linked/issues/12", true],
    ["Closes #123", false],
    ["Closes #12a", false],
    ["discloses #12", false],
    ["see #12", false],
    ["Closes acme/other#12", false],
    ["closes\n\nnothing #12", false],
  ])("with the words %j closes the linked issue's ticket: %s", async (body, found) => {
    const { harness } = hosting.now;
    const { project, repo } = await wired(body.includes("/") ? undefined : "acme/linked");
    const ticket = await makeTicket(harness, project);
    await harness.call("PUT", `${ticket.path}/github-issue`, {
      token: project.admin.token,
      body: { repo_full_name: "Acme/Linked", issue_number: 12 },
    });
    await merge({ repo, body });
    expect((await ticketOf(ticket, project)).merge_sha).toBe(found ? SHA("a") : null);
    // Other tests link the same issue.
    await harness.call("DELETE", `${ticket.path}/github-issue`, { token: project.admin.token });
  });

  test("stamps the ticket whose branch carries the closing keyword", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const ticket = await makeTicket(harness, project);
    await harness.call("PUT", `${ticket.path}/github-issue`, {
      token: project.admin.token,
      body: { issue_number: 31 },
    });
    await merge({ repo, branch: "fix/#31-upload" });
    expect((await ticketOf(ticket, project)).merge_sha).toBe(SHA("a"));
  });

  test("stamps nothing in projects that are not wired to its repository, nor when it is only closed", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const ticket = await makeTicket(harness, project);
    await merge({ repo: "acme/elsewhere", title: ticket.ref });
    const closed = hosting.now.events.pullRequest({
      repo,
      number: next(),
      title: ticket.ref,
      state: "closed",
    });
    expect((await hosting.now.deliver(closed)).status).toBe(200);
    expect(await ticketOf(ticket, project)).toMatchObject({ merge_sha: null, version: 1 });
    const outcomes = await harness.sql`select reason from deliveries order by id desc limit 2`;
    expect(outcomes.map(({ reason }) => reason)).toEqual(["no_ticket", "unknown_repo"]);
  });

  test("stamps a hundred tickets with as many statements as one", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const tickets: TestTicket[] = [];
    for (let index = 0; index < 100; index++) tickets.push(await makeTicket(harness, project));
    // The queue looks after itself meanwhile.
    const statements = async (work: () => Promise<void>) => {
      const before = harness.statements.length;
      await work();
      return harness.statements.slice(before).filter((text) => !/pgboss|pg_stat/.test(text)).length;
    };
    const one = await statements(() => merge({ repo, title: tickets[0]!.ref }));
    const body = tickets.map(({ ref }) => ref).join(" ");
    expect(await statements(() => merge({ repo, body, mergeSha: SHA("b") }))).toBe(one);
    const [stamped] = await harness.sql`
      select count(*) as tickets from tickets where project_id = ${project.id}::uuid and merge_sha = ${
      SHA("b")
    }`;
    expect(stamped).toEqual({ tickets: 100 });
  });
});

describe("what comes again, late or in another order", () => {
  test("a repeat changes nothing", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const ticket = await makeTicket(harness, project);
    const event = hosting.now.events.pullRequest({ repo, number: 5, title: ticket.ref, mergeSha: SHA("c") });
    await hosting.now.deliver(event, "guid-1");
    const before = await ticketOf(ticket, project);
    await hosting.now.deliver(event, "guid-1");
    await hosting.now.deliver(event, "guid-2");
    await hosting.now.deliver({ ...event, payload: { ...event.payload, action: "labeled" } }, "guid-3");
    expect(await ticketOf(ticket, project)).toEqual(before);
    expect(before.version).toBe(2);
  });

  test("all orders of two merges and a late opening end with the later merge", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, "0")}:00Z`;
    const orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1], [3, 0, 2, 1], [1, 0, 3, 2]];
    for (const order of orders) {
      const ticket = await makeTicket(harness, project);
      const [one, two] = [next(), next()];
      const { events } = hosting.now;
      const facts = { repo, title: ticket.ref };
      const deliveries = [
        events.pullRequest({ ...facts, number: one, at: at(1) }),
        events.pullRequest({ ...facts, number: one, mergeSha: SHA("1"), at: at(2) }),
        events.pullRequest({ ...facts, number: two, at: at(3) }),
        events.pullRequest({ ...facts, number: two, mergeSha: SHA("2"), at: at(4) }),
      ];
      for (const index of order) await hosting.now.deliver(deliveries[index]!);
      expect((await ticketOf(ticket, project)).merge_sha, String(order)).toBe(SHA("2"));
      const links = await harness.sql`
        select number, state from ticket_pull_requests where ticket_id = ${ticket.id}::uuid order by number`;
      expect(links).toEqual([{ number: one, state: "merged" }, { number: two, state: "merged" }]);
    }
  });

  test("a reopened ticket that is merged again waits for the new deploy", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const ticket = await makeTicket(harness, project);
    await merge({ repo, title: ticket.ref, mergeSha: SHA("1"), at: "2026-11-20T10:00:00Z" });
    expect((await deploy(repo, SHA("1"))).body).toMatchObject({ stamped: 1, closed: 1 });
    await harness.call("POST", `${project.path}/tickets/bulk`, {
      token: project.admin.token,
      body: { action: "move", stage: "in_progress", ticket_ids: [ticket.id] },
    });
    expect(await ticketOf(ticket, project)).toMatchObject({ status: "open", ship: "deployed" });
    await merge({ repo, title: ticket.ref, mergeSha: SHA("2"), at: "2026-11-20T11:00:00Z" });
    expect(await ticketOf(ticket, project)).toMatchObject({
      merge_sha: SHA("2"),
      deployed_at: null,
      deploy_failed_at: null,
      ship: "waiting",
    });
    expect((await deploy(repo, SHA("2"))).body).toMatchObject({ stamped: 1, closed: 1 });
    expect(await ticketOf(ticket, project)).toMatchObject({ status: "closed", ship: "deployed" });
  });

  test("a pull request that was closed, reopened and merged counts as merged", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const ticket = await makeTicket(harness, project);
    const number = next();
    const facts = { repo, number, title: ticket.ref };
    const { events } = hosting.now;
    await hosting.now.deliver(events.pullRequest({ ...facts, state: "closed", at: "2026-11-20T10:00:00Z" }));
    await hosting.now.deliver(
      events.pullRequest({ ...facts, action: "reopened", at: "2026-11-20T10:01:00Z" }),
    );
    expect((await ticketOf(ticket, project)).merge_sha).toBe(null);
    await merge({ ...facts, mergeSha: SHA("d"), at: "2026-11-20T10:02:00Z" });
    expect((await ticketOf(ticket, project)).merge_sha).toBe(SHA("d"));
  });

  test("a deploy that was reported before the merge was heard of closes the ticket by job", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const ticket = await makeTicket(harness, project);
    expect((await deploy(repo, SHA("e"))).body.stamped).toBe(0);
    await merge({ repo, title: ticket.ref, mergeSha: SHA("e") });
    expect(await ticketOf(ticket, project)).toMatchObject({ status: "open", ship: "deployed" });
    await harness.work("close-parked-tickets");
    expect(await ticketOf(ticket, project)).toMatchObject({ status: "closed", resolution_type: "completed" });
  });

  test("a ticket that is linked to the pull request after its merge is stamped then", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    const ticket = await makeTicket(harness, project);
    await merge({ repo, number: 77, mergeSha: SHA("f") });
    expect((await ticketOf(ticket, project)).merge_sha).toBe(null);
    await harness.sql.begin(async (tx) => {
      await tx`select set_config('handoff.actor', '{"kind":"webhook","id":"cloud_agent"}', true)`;
      await tx`
        insert into ticket_pull_requests (id, ticket_id, project_id, repo, number, url)
        values (gen_random_uuid(), ${ticket.id}::uuid, ${project.id}::uuid, ${repo}, 77, 'https://github.com/x/y/pull/77')`;
    });
    expect(await ticketOf(ticket, project)).toMatchObject({ merge_sha: SHA("f"), version: 2 });
    const [link] = await harness
      .sql`select state from ticket_pull_requests where ticket_id = ${ticket.id}::uuid`;
    expect(link).toEqual({ state: "merged" });
  });

  test("a linked pull request stamps its ticket by whatever way it was merged", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await wired();
    // The payloads of squash, merge and rebase differ in the commit only.
    for (const mergeSha of [SHA("7"), SHA("8"), SHA("9")]) {
      const ticket = await makeTicket(harness, project);
      const number = next();
      await harness.sql.begin(async (tx) => {
        await tx`select set_config('handoff.actor', '{"kind":"webhook","id":"cloud_agent"}', true)`;
        await tx`
          insert into ticket_pull_requests (id, ticket_id, project_id, repo, number, url)
          values (gen_random_uuid(), ${ticket.id}::uuid, ${project.id}::uuid, ${repo}, ${number}, 'https://github.com/x/y/pull/1')`;
      });
      await merge({ repo, number, mergeSha });
      expect(await ticketOf(ticket, project)).toMatchObject({ merge_sha: mergeSha });
    }
  });
});
