import { describe, expect, test } from "vitest";
import { everyExample, type IssueFacts, signedDelivery } from "../../lab/simulators/github/events.ts";
import { behindLock } from "../behind_lock.ts";
import { makeProject, makeTicket, replayDelivery, type TestProject, type TestTicket } from "../factories.ts";
import { SECRET, useHosting } from "./hosting.ts";

const hosting = useHosting({ GITHUB_WEBHOOK_SECRET: `${SECRET},older-secret-of-the-tests` });

describe("the receiver", () => {
  test("takes every example of every event that GitHub documents, once each", async () => {
    const { harness } = hosting.now;
    // A project with the ticket that the examples name, so that they find it.
    const project = await makeProject(harness, {
      repositories: ["codertocat/hello-world", "octo-org/octo-repo"],
    });
    const ticket = await makeTicket(harness, project);
    await link(ticket, project, { repo_full_name: "Codertocat/Hello-World", issue_number: 1 });
    const examples = await everyExample();
    expect(examples.length).toBeGreaterThan(300);
    const statuses: Record<string, number> = {};
    for (const example of examples) {
      const { status, body } = await hosting.now.deliver(example);
      statuses[`${status} ${JSON.stringify(body)}`] = (statuses[`${status} ${JSON.stringify(body)}`] ?? 0) +
        1;
    }
    expect(statuses).toEqual({ '200 {"ok":true}': examples.length });
    const [row] = await harness.sql`
      select count(*) filter (where outcome = 'failed' or reason = 'unexpected_shape') as wrong, count(*) as kept,
        count(*) filter (where event like 'issues.%' and outcome = 'applied') as applied
      from inbound_deliveries where provider = 'github'`;
    expect(row!.wrong).toBe(0);
    expect(row!.kept).toBe(new Set(examples.map(({ payload }) => JSON.stringify(payload))).size);
    expect(row!.applied).toBeGreaterThan(0);
  });

  test("takes only what is signed with one of its secrets", async () => {
    const { harness, events } = hosting.now;
    const delivery = events.issue({ repo: "acme/x", number: 1, action: "opened" });
    const { body, headers } = await signedDelivery(delivery, { secret: "older-secret-of-the-tests" });
    const send = (change: Record<string, string>, raw = body) =>
      harness.call("POST", "/webhooks/github", { raw, headers: { ...headers, ...change } });
    expect((await send({})).status).toBe(200);
    const signature = headers["x-hub-signature-256"]!;
    const forged = [
      "",
      "sha256=",
      signature.slice(0, -2),
      signature.replace("sha256", "sha1"),
      `sha256=${"0".repeat(64)}`,
    ];
    for (const one of forged) {
      const { status, body } = await send({ "x-hub-signature-256": one });
      expect([status, body.code], one).toEqual([401, "invalid_signature"]);
    }
    expect((await send({}, `${body} `)).status).toBe(401);
    const { "x-hub-signature-256": _, ...unsigned } = headers;
    expect((await harness.call("POST", "/webhooks/github", { raw: body, headers: unsigned })).status).toBe(
      401,
    );
  });

  test("answers what is signed but no event", async () => {
    const { harness } = hosting.now;
    const send = async (payload: unknown, headers: Record<string, string> = {}) => {
      const text = typeof payload === "string" ? payload : JSON.stringify(payload);
      const { headers: signed } = await signedDelivery({ event: "issues", payload: {} }, { secret: SECRET });
      const { sign } = await import("@octokit/webhooks-methods");
      const all = { ...signed, "x-hub-signature-256": await sign(SECRET, text), ...headers };
      return await harness.call("POST", "/webhooks/github", { raw: text, headers: all });
    };
    const form = await send("payload=%7B%7D", { "content-type": "application/x-www-form-urlencoded" });
    expect([form.status, form.body.code, form.body.error]).toEqual([
      400,
      "invalid_json",
      "The event came as a form: set the webhook's content type to application/json",
    ]);
    expect((await send([1])).body.code).toBe("invalid_request");
    expect((await send({ zen: "Design for failure.", hook_id: 1 }, { "x-github-event": "ping" })).status)
      .toBe(200);
    const endless = Array.from({ length: 200 }, () => crypto.randomUUID()).join("");
    expect((await send({ zen: "Keep it short." }, { "x-github-delivery": endless })).status).toBe(200);
    const odd = [
      { action: "closed", number: 1, pull_request: "none", repository: { full_name: "a/b" } },
      { action: "closed", number: 1, pull_request: { number: 2 ** 40 }, repository: null },
      { action: "\u0000", issue: { number: -1 }, repository: { full_name: "a/b/c" } },
    ];
    for (const payload of odd) expect((await send(payload)).status).toBe(200);
    const rows = await harness.sql`select reason from inbound_deliveries order by id desc limit 3`;
    expect(rows.map(({ reason }) => reason)).toEqual(Array(3).fill("unexpected_shape"));
    const big = await send({ filler: "x".repeat(1024 * 1024) });
    expect([big.status, big.body.code]).toEqual([413, "payload_too_large"]);
  });
});

test("a merge whose commit has a name of another length is taken, and stamps nothing", async () => {
  const { harness, events } = hosting.now;
  const project = await makeProject(harness, { repositories: ["acme/long"] });
  const ticket = await makeTicket(harness, project);
  const pull = events.pullRequest({
    repo: "acme/long",
    number: 1,
    title: ticket.ref,
    mergeSha: "a".repeat(64),
  });
  expect((await hosting.now.deliver(pull)).status).toBe(200);
  const [kept] = await harness.sql`select outcome, reason from inbound_deliveries order by id desc limit 1`;
  expect(kept).toEqual({ outcome: "ignored", reason: "unexpected_shape" });
});

describe("an issue that a ticket is linked to", () => {
  test("is followed through edits, closing, transfer and deletion, and no ticket is closed by it", async () => {
    const { harness } = hosting.now;
    const { project, ticket } = await linked("acme/follow", 5, "acme/moved");
    const at = clock();
    await issue({ repo: "Acme/Follow", number: 5, action: "edited", title: "New\u0000 title", at: at() });
    await issue({
      repo: "acme/follow",
      number: 5,
      action: "closed",
      state: "closed",
      title: "New title",
      at: at(),
    });
    expect(await facts(ticket)).toMatchObject({ title: "New title", state: "closed", issue_number: 5 });
    const shown = await harness.call("GET", ticket.path, { token: project.admin.token });
    expect(shown.body).toMatchObject({ status: "open", stage: "backlog" });
    await issue({
      repo: "acme/follow",
      number: 5,
      action: "transferred",
      other: { repo: "acme/moved", number: 9 },
      at: at(),
    });
    expect((await harness.call("GET", `${ticket.path}/github-issue`, { token: project.admin.token })).body)
      .toEqual({
        issue_number: 9,
        issue_url: "https://github.com/acme/moved/issues/9",
        repo_full_name: "acme/moved",
      });
    await issue({ repo: "acme/moved", number: 9, action: "reopened", title: "Moved", at: at() });
    expect(await facts(ticket)).toMatchObject({ title: "Moved", state: "open" });
    await issue({ repo: "acme/moved", number: 9, action: "deleted", at: at() });
    expect(await facts(ticket)).toBeUndefined();
    const history = await harness.sql`
      select distinct actor ->> 'id' as by from history_entries
      where ticket_id = ${ticket.id}::uuid and entity = 'linked_issue' and action <> 'created'`;
    expect(history).toEqual([{ by: "github" }]);
  });

  test("is followed by an event that tells no more than what changed", async () => {
    const { ticket } = await linked("acme/terse", 4);
    const repository = { full_name: "acme/terse" };
    for (const issue of [{ number: 4, title: "Renamed" }, { number: 4, state: "closed" }]) {
      await hosting.now.deliver({ event: "issues", payload: { action: "edited", issue, repository } });
    }
    expect(await facts(ticket)).toMatchObject({ issue_number: 4, title: "Renamed", state: "closed" });
    const edited = (title: string) => ({
      event: "issues",
      payload: { action: "edited", issue: { number: 4, title }, repository },
    });
    await hosting.now.deliver(edited("Before"), "edited-first");
    await hosting.now.deliver(edited("After"));
    const replayed = await replayDelivery(hosting.now.harness, "edited-first");
    expect(replayed.body).toMatchObject({ reason: "older_than_known" });
    expect(await facts(ticket)).toMatchObject({ title: "After" });
  });

  test("is followed by what the repository it was moved to tells", async () => {
    const { ticket } = await linked("acme/from", 3, "acme/to");
    const at = clock();
    await issue({ repo: "acme/from", number: 3, action: "edited", title: "There", at: at() });
    await issue({
      repo: "acme/to",
      number: 4,
      action: "opened",
      title: "Here now",
      other: { repo: "acme/from", number: 3 },
      at: at(),
    });
    expect(await facts(ticket)).toMatchObject({
      repo_full_name: "acme/to",
      issue_number: 4,
      title: "Here now",
    });
  });

  test("is followed from a place of which no more than its number is told", async () => {
    const { harness, events } = hosting.now;
    const { ticket } = await linked("acme/left", 3, "acme/reached");
    const delivery = events.issue({
      repo: "acme/reached",
      number: 4,
      action: "opened",
      title: "Here now",
      other: { repo: "acme/left", number: 3 },
    });
    Object.assign(delivery.payload.changes as object, { old_issue: { id: 1, number: 3 } });
    expect((await hosting.now.deliver(delivery)).status).toBe(200);
    expect(await facts(ticket)).toMatchObject({
      repo_full_name: "acme/reached",
      issue_number: 4,
      title: "Here now",
    });
    const [row] = await harness.sql`select outcome from inbound_deliveries order by id desc limit 1`;
    expect(row).toEqual({ outcome: "applied" });
  });

  test("gives way to another with nothing of its own, which is followed from its own first event on", async () => {
    const { project, ticket } = await linked("acme/relinked", 1);
    const at = clock();
    const [first, second] = [at(), at()];
    const closed = { repo: "acme/relinked", action: "closed", state: "closed" } as const;
    await issue({ ...closed, number: 1, title: "The old one", at: second });
    await link(ticket, project, { repo_full_name: "acme/relinked", issue_number: 2 });
    expect(await facts(ticket)).toMatchObject({ issue_number: 2, title: null, state: null });
    await issue({ ...closed, number: 2, title: "The new one", at: first });
    expect(await facts(ticket)).toMatchObject({ title: "The new one", state: "closed" });
  });

  test.each(["deleted", "closed"])(
    "gives way to another that is left alone when the first one was %s",
    async (action) => {
      const repo = `acme/way-${action}`;
      const { project, ticket } = await linked(repo, 1);
      await behindLock<unknown>(
        hosting.now.harness,
        (tx) => tx`select from tickets where id = ${ticket.id}::uuid for update`,
        () => link(ticket, project, { repo_full_name: repo, issue_number: 2 }),
        () => issue({ repo, number: 1, action, state: "closed" }),
      );
      expect(await facts(ticket)).toMatchObject({ issue_number: 2, state: null });
    },
  );

  test("keeps what a later event said when an older one comes after it", async () => {
    const { ticket } = await linked("acme/late", 8);
    const at = clock();
    const [first, second, third] = [at(), at(), at()];
    await issue({
      repo: "acme/late",
      number: 8,
      action: "reopened",
      title: "second",
      state: "open",
      at: second,
    });
    await issue({
      repo: "acme/late",
      number: 8,
      action: "closed",
      title: "first",
      state: "closed",
      at: first,
    });
    expect(await facts(ticket)).toMatchObject({ title: "second", state: "open" });
    const [row] = await hosting.now.harness
      .sql`select outcome, reason from inbound_deliveries where subject = 'acme/late#8' order by id desc limit 1`;
    expect(row).toEqual({ outcome: "ignored", reason: "older_than_known" });
    await issue({ repo: "acme/late", number: 8, action: "edited", title: "third", state: "open", at: third });
    await issue({
      repo: "acme/late",
      number: 8,
      action: "edited",
      title: "second",
      state: "open",
      at: second,
    });
    expect(await facts(ticket)).toMatchObject({ title: "third" });
    await issue({
      repo: "acme/late",
      number: 8,
      action: "closed",
      title: "third",
      state: "closed",
      at: third,
    });
    expect(await facts(ticket), "in the same second").toMatchObject({ state: "closed" });
  });

  test("is followed in the accounts that have wired a project to the repository, and anywhere where none has", async () => {
    const { harness } = hosting.now;
    const { project: wired, ticket: own } = await linked("acme/secret", 7);
    const beside = await makeProject(harness, { admin: wired.admin });
    const sibling = await makeTicket(harness, beside);
    await link(sibling, beside, { repo_full_name: "acme/secret", issue_number: 7 });
    const { project, ticket: foreign } = await linked("acme/open", 1);
    await link(foreign, project, { repo_full_name: "acme/secret", issue_number: 7 });
    const before = await facts(foreign);
    const at = clock();
    const place = { repo: "acme/secret", number: 7, title: "Secret" };
    await issue({ ...place, action: "edited", at: at() });
    for (const ticket of [own, sibling]) expect(await facts(ticket)).toMatchObject({ title: "Secret" });
    expect(await facts(foreign)).toEqual(before);
    await issue({ ...place, action: "transferred", other: { repo: "acme/hidden", number: 3 }, at: at() });
    expect(await facts(own)).toMatchObject({ repo_full_name: "acme/hidden" });
    expect(await facts(foreign)).toEqual(before);
    await issue({ ...place, action: "deleted", at: at() });
    expect(await facts(foreign)).toEqual(before);
    await issue({ repo: "acme/hidden", number: 3, action: "edited", title: "Hidden", at: at() });
    expect(await facts(own)).toMatchObject({ title: "Hidden" });
    const rows = await harness.sql`select reason from inbound_deliveries order by id desc limit 2`;
    expect(rows.map(({ reason }) => reason)).toEqual([null, "no_ticket"]);
  });

  test("is followed out of a repository in the accounts that have wired one to it, no matter who tells of it", async () => {
    const { project: wired, ticket: own } = await linked("acme/private", 6);
    const { project, ticket: foreign } = await linked("acme/public", 1);
    await link(foreign, project, { repo_full_name: "acme/private", issue_number: 6 });
    const before = await facts(foreign);
    const at = clock();
    const arrival = { repo: "acme/nobodys", action: "opened", title: "Secret" };
    await issue({ ...arrival, number: 9, other: { repo: "Acme/Private", number: 6 }, at: at() });
    expect(await facts(own)).toMatchObject({
      repo_full_name: "acme/nobodys",
      issue_number: 9,
      title: "Secret",
    });
    expect(await facts(foreign)).toEqual(before);

    const loose = { repo: "acme/loose", number: 2 };
    await link(own, wired, { repo_full_name: loose.repo, issue_number: loose.number });
    await link(foreign, project, { repo_full_name: loose.repo, issue_number: loose.number });
    await issue({ ...arrival, number: 10, title: "Anybody's", other: loose, at: at() });
    for (const ticket of [own, foreign]) {
      expect(await facts(ticket)).toMatchObject({ issue_number: 10, title: "Anybody's" });
    }
  });

  test("is not followed to an address that is none of the web", async () => {
    const { harness, events } = hosting.now;
    const { ticket } = await linked("acme/script", 2);
    const before = await facts(ticket);
    const delivery = events.issue({ repo: "acme/script", number: 2, action: "edited" });
    Object.assign(delivery.payload.issue as object, { html_url: "javascript:alert(1)" });
    expect((await hosting.now.deliver(delivery)).status).toBe(200);
    expect(await facts(ticket)).toEqual(before);
    const [row] = await harness.sql`select outcome, reason from inbound_deliveries order by id desc limit 1`;
    expect(row).toEqual({ outcome: "ignored", reason: "unexpected_shape" });
  });

  async function linked(repo: string, number: number, ...others: string[]) {
    const project = await makeProject(hosting.now.harness, { repositories: [repo, ...others] });
    const ticket = await makeTicket(hosting.now.harness, project);
    await link(ticket, project, { repo_full_name: repo, issue_number: number });
    return { project, ticket };
  }

  async function issue(event: IssueFacts) {
    expect((await hosting.now.deliver(hosting.now.events.issue(event))).status).toBe(200);
  }

  async function facts(ticket: TestTicket) {
    const [row] = await hosting.now.harness
      .sql`select * from ticket_issues where ticket_id = ${ticket.id}::uuid`;
    return row;
  }

  /** Returns a time that is one second later at each call. */
  function clock(): () => string {
    let time = Date.parse("2026-11-20T10:00:00Z");
    return () => new Date(time += 1000).toISOString().replace(".000Z", "Z");
  }
});

async function link(
  ticket: TestTicket,
  project: TestProject,
  body: { repo_full_name: string; issue_number: number },
) {
  const { status } = await hosting.now.harness.call("PUT", `${ticket.path}/github-issue`, {
    token: project.admin.token,
    body,
  });
  expect(status).toBe(200);
}
