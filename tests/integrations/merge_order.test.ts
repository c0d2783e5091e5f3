import { describe, expect, test, vi } from "vitest";
import type { TransactionSql } from "../../db/open.ts";
import { log } from "../../src/core/log.ts";
import { lockPullRequest } from "../../src/pull_requests/lock.ts";
import { AGENT_SECRET, newAgentId, sendAgentEvent } from "../agents/setup.ts";
import { behindLock } from "../behind_lock.ts";
import {
  makeKey,
  makeProject,
  makeTicket,
  makeUser,
  next,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import { useHosting } from "./hosting.ts";
import { CRON_SECRET, inMinutes, Merges, SHA } from "./_merges.ts";

const hosting = useHosting({ CRON_SECRET, CLOUD_AGENT_WEBHOOK_SECRET: AGENT_SECRET });
const merges = new Merges(() => hosting.now);

async function wire(project: TestProject, repo: string): Promise<void> {
  const { status } = await hosting.now.harness.call("PUT", `${project.path}/repositories`, {
    token: project.admin.token,
    body: { repositories: [repo] },
  });
  expect(status).toBe(200);
}

async function patch(ticket: TestTicket, { admin }: TestProject, body: unknown): Promise<void> {
  const answer = await hosting.now.harness.call("PATCH", ticket.path, { token: admin.token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

/** The pull requests that a ticket is linked to. */
async function linksOf(ticket: TestTicket) {
  return await hosting.now.harness.sql`
    select number, state from ticket_pull_requests where ticket_id = ${ticket.id}::uuid order by number`;
}

/** Runs the last event again, as an operator can. */
async function replay(): Promise<void> {
  const { harness } = hosting.now;
  const { token } = await makeUser(harness, { role: "super_admin" });
  const [last] = await harness.sql<{ id: string }[]>`
    select id from inbound_deliveries where provider = 'github' order by id desc limit 1`;
  const { status } = await harness.call("POST", `/admin/deliveries/${last!.id}/replay`, { token, body: {} });
  expect(status).toBe(200);
}

describe("what comes again, late or in another order", () => {
  test("a merge counts in full although something else told of it in the same second", async () => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("1"), at: inMinutes(-3) });
    await merges.deploy(repo, SHA("1"));
    await patch(ticket, project, { stage: "in_progress" });
    const pull = { repo, number: next(), mergeSha: SHA("2"), title: ticket.ref, at: inMinutes(0) };
    await merges.merge({ ...pull, action: "dequeued" });
    await merges.merge(pull);
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("2"));
  });

  test("an edit that names a ticket leaves what someone has said of its merge since", async () => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    const pull = { repo, number: next(), mergeSha: SHA("1"), at: inMinutes(-1) };
    await merges.merge({ ...pull, title: "Names nobody" });
    await patch(ticket, project, { merge_sha: SHA("9") });
    await merges.merge({ ...pull, title: ticket.ref, action: "edited" });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("9"));
    expect(await linksOf(ticket)).toEqual([]);
  });

  test("an edit that names a ticket leaves what someone is saying of its merge at that moment", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const pull = { repo, number: next(), mergeSha: SHA("1"), at: inMinutes(-1) };
    await merges.merge({ ...pull, title: "Names nobody" });
    await behindLock<void>(
      harness,
      (tx) => tx`select from tickets where id = ${ticket.id}::uuid for update`,
      () => patch(ticket, project, { merge_sha: SHA("9") }),
      () => merges.merge({ ...pull, title: ticket.ref, action: "edited" }),
    );
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("9"));
    expect(await linksOf(ticket)).toEqual([]);
  });

  test("an edit that names a ticket links it although another merge has stamped it since", async () => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    const pull = { repo, number: next(), mergeSha: SHA("1"), at: inMinutes(-2) };
    await merges.merge({ ...pull, title: "Names nobody" });
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("2"), at: inMinutes(-1) });
    await merges.merge({ ...pull, title: ticket.ref, action: "edited" });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("2"));
    expect(await linksOf(ticket)).toHaveLength(2);
  });

  test("an edit that names a ticket stamps it, no matter what someone said of it before the merge", async () => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    await patch(ticket, project, { merge_sha: SHA("9") });
    const pull = { repo, number: next(), mergeSha: SHA("1"), at: inMinutes(1) };
    await merges.merge({ ...pull, title: "Names nobody" });
    await merges.merge({ ...pull, title: ticket.ref, action: "edited" });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("1"));
  });

  test("a merge names no ticket of an archived project", async () => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    await hosting.now.harness.call("DELETE", project.path, { token: project.admin.token });
    await merges.merge({ repo, title: ticket.ref, at: inMinutes(1) });
    expect((await merges.ticket(ticket, project)).merge_sha).toBeNull();
    expect(await linksOf(ticket)).toEqual([]);
  });

  test("a repeat changes nothing", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const event = hosting.now.events.pullRequest({ repo, number: 5, title: ticket.ref, mergeSha: SHA("c") });
    await hosting.now.deliver(event, "guid-1");
    const before = await merges.ticket(ticket, project);
    await hosting.now.deliver(event, "guid-1");
    await hosting.now.deliver(event, "guid-2");
    await hosting.now.deliver({ ...event, payload: { ...event.payload, action: "labeled" } }, "guid-3");
    expect(await merges.ticket(ticket, project)).toEqual(before);
    expect(before.version).toBe(2);
  });

  test("all orders of two merges and a late opening end with the later merge", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1], [3, 0, 2, 1], [1, 0, 3, 2]];
    for (const order of orders) {
      const ticket = await makeTicket(harness, project);
      const [one, two] = [next(), next()];
      const { events } = hosting.now;
      const facts = { repo, title: ticket.ref };
      const deliveries = [
        events.pullRequest({ ...facts, number: one, at: inMinutes(1) }),
        events.pullRequest({ ...facts, number: one, mergeSha: SHA("1"), at: inMinutes(2) }),
        events.pullRequest({ ...facts, number: two, at: inMinutes(3) }),
        events.pullRequest({ ...facts, number: two, mergeSha: SHA("2"), at: inMinutes(4) }),
      ];
      for (const index of order) await hosting.now.deliver(deliveries[index]!);
      expect((await merges.ticket(ticket, project)).merge_sha, String(order)).toBe(SHA("2"));
      expect(await linksOf(ticket)).toEqual([{ number: one, state: "merged" }, {
        number: two,
        state: "merged",
      }]);
    }
  });

  test("a reopened ticket that is merged again waits for the new deploy", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("1"), at: inMinutes(0) });
    expect((await merges.deploy(repo, SHA("1"))).body).toMatchObject({ stamped: 1, closed: 1 });
    await harness.call("POST", `${project.path}/tickets/bulk`, {
      token: project.admin.token,
      body: { action: "move", stage: "in_progress", ticket_ids: [ticket.id] },
    });
    expect(await merges.ticket(ticket, project)).toMatchObject({ status: "open", ship: "deployed" });
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("2"), at: inMinutes(60) });
    expect(await merges.ticket(ticket, project)).toMatchObject({
      merge_sha: SHA("2"),
      deployed_at: null,
      deploy_failed_at: null,
      ship: "waiting",
    });
    expect((await merges.deploy(repo, SHA("2"))).body).toMatchObject({ stamped: 1, closed: 1 });
    expect(await merges.ticket(ticket, project)).toMatchObject({ status: "closed", ship: "deployed" });
  });

  test("a pull request that was closed and reopened in one second counts as open, and then as merged", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const number = next();
    const facts = { repo, number, title: ticket.ref };
    const { events } = hosting.now;
    await merges.link(ticket, project, facts);
    const at = inMinutes(0);
    await hosting.now.deliver(events.pullRequest({ ...facts, state: "closed", at }));
    await hosting.now.deliver(events.pullRequest({ ...facts, action: "reopened", at }));
    expect(await linksOf(ticket)).toEqual([{ number, state: "open" }]);
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(null);
    await merges.merge({ ...facts, mergeSha: SHA("d"), at: inMinutes(2) });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("d"));
  });

  test("a deploy that was reported before the merge was heard of closes the ticket by job", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    expect((await merges.deploy(repo, SHA("e"))).body.stamped).toBe(0);
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("e") });
    expect(await merges.ticket(ticket, project)).toMatchObject({ status: "open", ship: "deployed" });
    await harness.work("close-parked-tickets");
    expect(await merges.ticket(ticket, project)).toMatchObject({
      status: "closed",
      resolution_type: "completed",
    });
  });

  test("a ticket that is linked to the pull request after its merge is stamped then", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    await merges.merge({ repo, number: 77, mergeSha: SHA("f") });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(null);
    await merges.link(ticket, project, { repo, number: 77 });
    expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("f"), version: 2 });
    expect(await linksOf(ticket)).toEqual([{ number: 77, state: "merged" }]);
  });

  test("a merged ticket that is linked to an open pull request stays merged", async () => {
    const { harness, events } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("c") });
    const number = next();
    await hosting.now.deliver(events.pullRequest({ repo, number, at: inMinutes(1) }));
    await merges.link(ticket, project, { repo, number });
    expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("c"), version: 2 });
    expect(await linksOf(ticket)).toContainEqual({ number, state: "open" });
  });

  test("a link to a pull request is open though another repository's of its number is merged", async () => {
    const { project, repo } = await merges.wired();
    const other = await merges.wired();
    const number = next();
    const merged = await makeTicket(hosting.now.harness, other.project);
    await merges.merge({ repo: other.repo, number, title: merged.ref });
    const ticket = await makeTicket(hosting.now.harness, project);
    await merges.link(ticket, project, { repo, number });
    expect(await linksOf(ticket)).toEqual([{ number, state: "open" }]);
  });

  test("a ticket whose project is wired to the repository after the merge is stamped by its next event", async () => {
    const { harness } = hosting.now;
    const { repo } = await merges.wired();
    const late = await makeProject(harness);
    const ticket = await makeTicket(harness, late);
    const facts = { repo, number: next(), mergeSha: SHA("b") };
    await merges.link(ticket, late, facts);
    await merges.merge(facts);
    await merges.merge({ ...facts, action: "labeled" });
    expect((await merges.ticket(ticket, late)).merge_sha).toBe(null);
    await wire(late, repo);
    await merges.merge({ ...facts, action: "unlabeled" });
    const stamped = await merges.ticket(ticket, late);
    expect(stamped).toMatchObject({ merge_sha: SHA("b"), ship: "merged", version: 2 });
    await merges.merge({ ...facts, action: "labeled", title: "Again" });
    expect(await merges.ticket(ticket, late)).toEqual(stamped);
  });

  test("a later event of a merged pull request leaves alone what someone did since", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const late = await makeProject(harness);
    const [cleared, reopened] = [await makeTicket(harness, project), await makeTicket(harness, project)];
    const [linked, named] = [await makeTicket(harness, late), await makeTicket(harness, late)];
    const facts = { repo, number: next(), mergeSha: SHA("c"), title: named.ref };
    for (const ticket of [cleared, reopened]) await merges.link(ticket, project, facts);
    await merges.link(linked, late, facts);
    await merges.merge(facts);

    await patch(cleared, project, { merge_sha: null });
    const all = [[cleared, project], [reopened, project], [linked, late], [named, late]] as const;
    for (const [ticket, project] of all.slice(1)) {
      await patch(ticket, project, { stage: "live" });
      await patch(ticket, project, { stage: "in_progress" });
    }
    await wire(late, repo);
    const before = await Promise.all(all.map(([ticket, project]) => merges.ticket(ticket, project)));
    expect(before.map(({ status, merge_sha }) => [status, merge_sha])).toEqual([
      ["open", null],
      ["open", SHA("c")],
      ["open", null],
      ["open", null],
    ]);
    for (const action of ["labeled", "edited"]) await merges.merge({ ...facts, action });
    const after = await Promise.all(all.map(([ticket, project]) => merges.ticket(ticket, project)));
    const facing = ({ status, stage, merge_sha }: typeof before[0]) => ({ status, stage, merge_sha });
    expect(after.map(facing)).toEqual(before.map(facing));
  });

  test("an event of an earlier merge never takes the place of a later one", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const first = { repo, number: next(), title: ticket.ref, mergeSha: SHA("1"), at: inMinutes(0) };
    await merges.merge(first);
    await merges.merge({ ...first, number: next(), mergeSha: SHA("2"), at: inMinutes(60) });
    await merges.merge({ ...first, action: "labeled" });
    expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("2"), version: 3 });
  });

  test("what someone said of a ticket's merge stands when an earlier merge is heard of after it", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const [heard, later] = [next(), next()];
    for (const number of [heard, later]) await merges.link(ticket, project, { repo, number });
    await patch(ticket, project, { merge_sha: SHA("1") });
    await merges.deploy(repo, SHA("1"));
    const before = await merges.ticket(ticket, project);
    expect(before).toMatchObject({ status: "closed", ship: "deployed" });
    const labeled = { repo, number: heard, action: "labeled", at: inMinutes(10) };
    await merges.merge({ ...labeled, mergeSha: SHA("2"), mergedAt: inMinutes(-1) });
    expect(await linksOf(ticket)).toContainEqual({ number: heard, state: "merged" });
    expect(await merges.ticket(ticket, project)).toEqual(before);
    await merges.merge({ repo, number: later, mergeSha: SHA("3"), at: inMinutes(1) });
    expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("3"), ship: "waiting" });
  });

  test("a merge that is told late gives way to what a person or a key has said of it since, and to nothing else", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const { token } = await makeKey(harness, project.admin);
    const told = async (before: (ticket: TestTicket) => Promise<unknown>, mergedAt = inMinutes(-1)) => {
      const ticket = await makeTicket(harness, project);
      const number = next();
      await merges.link(ticket, project, { repo, number });
      await before(ticket);
      await merges.merge({
        repo,
        number,
        mergeSha: SHA("2"),
        mergedAt,
        action: "labeled",
        at: inMinutes(30),
      });
      return (await merges.ticket(ticket, project)).merge_sha;
    };
    const byKey = ({ path }: TestTicket) =>
      harness.call("PATCH", path, { token, body: { merge_sha: SHA("1") } });
    expect(await told(byKey)).toBe(SHA("1"));
    expect(await told((ticket) => patch(ticket, project, { title: "Another title" }))).toBe(SHA("2"));
    expect(await told((ticket) => patch(ticket, project, { merge_sha: SHA("1") }), inMinutes(10))).toBe(
      SHA("2"),
    );
    const merged = ({ ref }: TestTicket) =>
      merges.merge({ repo, title: ref, mergeSha: SHA("1"), at: inMinutes(-3) });
    expect(await told(merged)).toBe(SHA("2"));
  });

  test("a repository that its project writes with capitals is stamped, and known to be deployed already", async () => {
    const { project, repo } = await merges.wired(`Acme/Repo-${next()}`);
    const ticket = await makeTicket(hosting.now.harness, project);
    await merges.deploy(repo, SHA("4"));
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("4") });
    expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("4"), ship: "deployed" });
  });

  test("a merge counts as a change of its ticket: updated_at tells of it", async () => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    const before = await merges.ticket(ticket, project);
    await merges.merge({ repo, title: ticket.ref });
    expect((await merges.ticket(ticket, project)).updated_at > before.updated_at).toBe(true);
  });

  test("of two merges in one second the one of the higher number counts, in whichever order they are told", async () => {
    const { project, repo } = await merges.wired();
    for (const order of [[0, 1], [1, 0]]) {
      const ticket = await makeTicket(hosting.now.harness, project);
      const at = inMinutes(1);
      const pulls = ["1", "2"].map((letter) => ({
        repo,
        number: next(),
        title: ticket.ref,
        mergeSha: SHA(letter),
        at,
      }));
      for (const index of order) await merges.merge(pulls[index]!);
      expect((await merges.ticket(ticket, project)).merge_sha, String(order)).toBe(SHA("2"));
    }
  });

  test("a merge counts in full when it is told itself, no matter what told of it before", async () => {
    const { project, repo } = await merges.wired();
    const [reopened, said] = [
      await makeTicket(hosting.now.harness, project),
      await makeTicket(hosting.now.harness, project),
    ];
    await merges.merge({ repo, title: reopened.ref, mergeSha: SHA("1"), at: inMinutes(0) });
    await merges.deploy(repo, SHA("1"));
    await patch(reopened, project, { stage: "in_progress" });
    await patch(said, project, { merge_sha: SHA("1") });
    const merge = {
      repo,
      number: next(),
      title: `${reopened.ref} ${said.ref}`,
      mergeSha: SHA("2"),
      mergedAt: inMinutes(-1),
    };
    const later = { ...merge, mergedAt: inMinutes(10) };
    await merges.merge({ ...later, action: "labeled", at: inMinutes(20) });
    for (const ticket of [reopened, said]) {
      expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("1"));
    }
    await merges.merge({ ...later, at: inMinutes(10) });
    for (const ticket of [reopened, said]) {
      expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("2"), ship: "waiting" });
    }
    const third = await makeTicket(hosting.now.harness, project);
    await patch(third, project, { merge_sha: SHA("1") });
    await merges.merge({ ...merge, number: next(), title: third.ref, mergeSha: SHA("3"), at: inMinutes(5) });
    expect((await merges.ticket(third, project)).merge_sha).toBe(SHA("3"));
  });

  test.each([
    ["replayed", () => replay()],
    ["delivered anew when it was forgotten", async (send: () => Promise<unknown>) => {
      await hosting.now.harness.sql`delete from inbound_deliveries`;
      await send();
    }],
  ])("a merge that was told and is %s changes nothing, and names no ticket made since", async (_, again) => {
    const { harness, events } = hosting.now;
    const { project, repo } = await merges.wired();
    const changed = await makeTicket(harness, project);
    const cleared = await makeTicket(harness, project);
    const reopened = await makeTicket(harness, project);
    const tickets = [changed, cleared, reopened];
    const body = [...tickets.map(({ ref }) => ref), `${project.key}-4`].join(" ");
    const closing = events.pullRequest({ repo, number: 5, body, mergeSha: SHA("1"), at: inMinutes(-10) });
    const send = () => hosting.now.deliver(closing);
    await send();
    for (const ticket of tickets) {
      expect((await merges.ticket(ticket, project)).merge_sha, "however long ago it was").toBe(SHA("1"));
    }
    await patch(changed, project, { merge_sha: SHA("2") });
    await patch(cleared, project, { merge_sha: null });
    expect((await merges.deploy(repo, SHA("1"))).body).toMatchObject({ stamped: 1, closed: 1 });
    await patch(reopened, project, { stage: "in_progress", merge_sha: null });
    const young = await makeTicket(harness, project);
    expect(young.ref).toBe(`${project.key}-4`);

    const read = () => Promise.all([...tickets, young].map((ticket) => merges.ticket(ticket, project)));
    const before = await read();
    await again(send);
    await harness.work("close-parked-tickets");
    expect(await read()).toEqual(before);
    expect(await linksOf(young)).toEqual([]);
  });

  test.each(["labeled", "edited"])(
    "a merge that something else told of first (%s) counts in full when it is told itself, and but once",
    async (action) => {
      const { harness } = hosting.now;
      const { project, repo } = await merges.wired();
      const [linked, named] = [await makeTicket(harness, project), await makeTicket(harness, project)];
      const shas = () =>
        Promise.all([linked, named].map(async (ticket) => (await merges.ticket(ticket, project)).merge_sha));
      const merge = {
        repo,
        number: next(),
        title: named.ref,
        mergeSha: SHA("2"),
        mergedAt: inMinutes(-10),
      };
      await merges.link(linked, project, merge);
      await patch(linked, project, { merge_sha: SHA("1") });
      await merges.merge({ ...merge, action, at: inMinutes(0) });
      expect(await shas()).toEqual([SHA("1"), null]);
      await merges.merge({ ...merge, at: merge.mergedAt });
      expect(await shas()).toEqual([SHA("2"), SHA("2")]);
      for (const ticket of [linked, named]) await patch(ticket, project, { merge_sha: SHA("3") });
      await replay();
      expect(await shas()).toEqual([SHA("3"), SHA("3")]);
    },
  );

  test("a merge in a repository that the project is not wired to holds back none of its own", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const { repo: foreign } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    await merges.link(ticket, project, { repo: foreign, number: 5 });
    await merges.merge({ repo: foreign, number: 5, mergeSha: SHA("1"), at: inMinutes(2) });
    expect(await linksOf(ticket)).toEqual([{ number: 5, state: "merged" }]);
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("2"), at: inMinutes(1) });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("2"));
  });

  test("a linked pull request stamps its ticket by every way of merging", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    // The payloads of squash, merge and rebase differ in the commit only.
    for (const mergeSha of [SHA("7"), SHA("8"), SHA("9")]) {
      const ticket = await makeTicket(harness, project);
      const number = next();
      await merges.link(ticket, project, { repo, number });
      await merges.merge({ repo, number, mergeSha });
      expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: mergeSha });
    }
  });
});

describe("a repository that was renamed", () => {
  async function renamed() {
    const { harness } = hosting.now;
    const [from, to] = [`acme/former-${next()}`, `acme/renamed-${next()}`];
    const project = await makeProject(harness, { repositories: [from, to] });
    const ticket = await makeTicket(harness, project);
    const number = next();
    const opened = { repo: from, number, id: next() + 5000, title: "A change", at: inMinutes(0) };
    await hosting.now.deliver(hosting.now.events.pullRequest(opened));
    await merges.link(ticket, project, { repo: from, number });
    return { project, ticket, from, to, opened };
  }

  test("stamps by its new name the tickets that were linked by the former one, once", async () => {
    const { project, ticket, from, to, opened } = await renamed();
    const both = await makeTicket(hosting.now.harness, project);
    for (const repo of [from, to]) await merges.link(both, project, { ...opened, repo });
    const merge = { ...opened, repo: to, mergeSha: SHA("a"), at: inMinutes(1) };
    await merges.merge(merge);
    for (const { id, path } of [ticket, both]) {
      expect(await merges.ticket({ path } as TestTicket, project)).toMatchObject({
        merge_sha: SHA("a"),
        version: 2,
      });
      const links = await hosting.now.harness.sql`
        select repo, state from ticket_pull_requests where ticket_id = ${id}::uuid`;
      expect(links).toEqual([{ repo: to, state: "merged" }]);
    }
    const { body } = await hosting.now.harness.call("GET", `${ticket.path}/pull-requests`, {
      token: project.admin.token,
    });
    expect(body.pull_requests[0].url).toBe(`https://github.com/${to}/pull/${opened.number}`);
    await merges.deploy(from, SHA("a"));
    expect(await merges.ticket(ticket, project)).toMatchObject({ status: "closed" });
  });

  test("shows as merged what an earlier version knew by both names", async () => {
    const { project, ticket, to, opened } = await renamed();
    const merge = { ...opened, repo: to, mergeSha: SHA("a"), at: inMinutes(1) };
    // It did not look for pull requests under the former name.
    await merges.merge({ ...merge, id: null });
    const { harness } = hosting.now;
    await harness.sql`update pull_requests set provider_id = ${opened.id} where repo = ${to}`;
    await merges.merge({ ...merge, action: "edited", at: inMinutes(2), mergedAt: merge.at });
    expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("a") });
    const links = await harness.sql`
      select repo, state from ticket_pull_requests where ticket_id = ${ticket.id}::uuid`;
    const known = await harness.sql`
      select repo, state from pull_requests where provider_id = ${opened.id}`;
    expect([links, known]).toEqual([[{ repo: to, state: "merged" }], [{ repo: to, state: "merged" }]]);
  });

  test("shows as merged what was linked by its new name before it told of it", async () => {
    const { project, ticket, to, opened } = await renamed();
    const merge = { ...opened, mergeSha: SHA("a"), at: inMinutes(1) };
    await merges.merge(merge);
    const later = await makeTicket(hosting.now.harness, project);
    await merges.link(later, project, { repo: to, number: opened.number });
    await merges.merge({ ...merge, repo: to, action: "labeled", at: inMinutes(2), mergedAt: merge.at });
    for (const linked of [ticket, later]) {
      expect(await linksOf(linked)).toEqual([{ number: opened.number, state: "merged" }]);
      expect(await merges.ticket(linked, project)).toMatchObject({ merge_sha: SHA("a") });
    }
  });

  test("tells nothing new by telling again what was known by the former name", async () => {
    const { project, ticket, from, to, opened } = await renamed();
    const merge = { ...opened, mergeSha: SHA("a"), at: inMinutes(1) };
    await merges.merge(merge);
    await merges.deploy(from, SHA("a"));
    const { token } = project.admin;
    await hosting.now.harness.call("PATCH", ticket.path, { token, body: { status: "open" } });
    const reopened = await merges.ticket(ticket, project);
    expect(reopened).toMatchObject({ status: "open" });
    const edited = { ...merge, repo: to, action: "edited", title: ticket.ref, at: inMinutes(2) };
    await merges.merge({ ...edited, mergedAt: merge.at });
    for (const late of [opened, merge]) {
      await hosting.now.deliver(hosting.now.events.pullRequest({ ...late, title: "Told late" }));
    }
    const outcomes = await hosting.now.harness.sql`
      select outcome, reason from inbound_deliveries where provider = 'github' order by id desc limit 2`;
    const reason = "older_than_known";
    expect(outcomes).toEqual([{ outcome: "ignored", reason }, { outcome: "ignored", reason }]);
    expect(await merges.ticket(ticket, project)).toEqual(reopened);
    const known = await hosting.now.harness.sql`
      select repo, state from pull_requests where provider_id = ${opened.id}`;
    expect(known).toEqual([{ repo: to, state: "merged" }]);
  });
});

describe("a repository that got the name of an earlier one", () => {
  test.each([["differ", 1001, 1002], ["are not told", null, null]])(
    "numbers its pull requests anew, where their ids %s",
    async (_, earlier, later) => {
      const { harness } = hosting.now;
      const { project, repo } = await merges.wired();
      const [one, two] = [await makeTicket(harness, project), await makeTicket(harness, project)];
      const number = next();
      const first = { repo, number, id: earlier, title: one.ref, mergeSha: SHA("a"), at: inMinutes(0) };
      await merges.merge(first);
      await merges.deploy(repo, SHA("a"));
      const before = await merges.ticket(one, project);
      expect(before).toMatchObject({ merge_sha: SHA("a"), status: "closed" });
      const opened = { repo, number, id: later, title: two.ref, openedAt: inMinutes(60) };
      await merges.merge({ ...opened, mergeSha: SHA("b"), at: inMinutes(70) });
      expect(await merges.ticket(two, project)).toMatchObject({
        merge_sha: SHA("b"),
        ship: "waiting",
        status: "open",
      });
      expect(await linksOf(one)).toEqual([]);
      const [dropped] = await harness.sql`
        select action, actor from history where ticket_id = ${one.id}::uuid and entity = 'pull_request'
        order by id desc limit 1`;
      expect(dropped).toEqual({ action: "deleted", actor: { kind: "webhook", id: "github" } });
      await merges.merge({ ...first, action: "edited", title: `${one.ref} ${two.ref}` });
      const [ignored] = await harness.sql`select reason from inbound_deliveries order by id desc limit 1`;
      expect(ignored).toEqual({ reason: "older_than_known" });
      expect(await merges.ticket(one, project)).toEqual(before);
      expect(await linksOf(one)).toEqual([]);
      expect((await merges.ticket(two, project)).merge_sha).toBe(SHA("b"));
    },
  );

  test("keeps a link that is younger than its pull request, and links an open one as open", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const [young, late] = [await makeTicket(harness, project), await makeTicket(harness, project)];
    const number = next();
    const { events } = hosting.now;
    await hosting.now.deliver(events.pullRequest({ repo, number, id: 1003, at: inMinutes(-40) }));
    await merges.merge({ repo, number, id: null, mergeSha: SHA("a"), at: inMinutes(-30) });
    await merges.link(young, project, { repo, number });
    const later = { repo, number, id: 1004, openedAt: inMinutes(-20) };
    await hosting.now.deliver(events.pullRequest({ ...later, at: inMinutes(10) }));
    await merges.link(late, project, { repo, number });
    for (const ticket of [young, late]) expect(await linksOf(ticket)).toEqual([{ number, state: "open" }]);
    expect((await merges.ticket(late, project)).merge_sha).toBe(null);
    await merges.merge({ ...later, mergeSha: SHA("b"), at: inMinutes(11) });
    for (const ticket of [young, late]) {
      expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("b"));
    }
  });

  test("a link, its pull request's merge and a later merge at once: the later one stands", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const [one, two] = [next(), next()];
    const locks = async (tx: TransactionSql) => {
      await lockPullRequest(tx, { repo, number: one });
      await tx`select from tickets where id = ${ticket.id}::uuid for update`;
    };
    await behindLock<void>(
      harness,
      locks,
      () => merges.link(ticket, project, { repo, number: one }),
      () => merges.merge({ repo, number: one, title: "Names nobody", mergeSha: SHA("1"), at: inMinutes(1) }),
      () => merges.merge({ repo, number: two, title: ticket.ref, mergeSha: SHA("2"), at: inMinutes(2) }),
    );
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("2"));
  });

  test("a merge that hears of a link while a later merge stamps its ticket leaves that one", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const [one, two] = [next(), next()];
    await behindLock<void>(
      harness,
      (tx) => merges.linkIn(tx, ticket, project, { repo, number: one }),
      () => merges.merge({ repo, number: one, title: "Names nobody", mergeSha: SHA("1"), at: inMinutes(1) }),
      () => merges.merge({ repo, number: two, title: ticket.ref, mergeSha: SHA("2"), at: inMinutes(2) }),
    );
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("2"));
  });
});

test("a merge and an agent who tells of the same pull request again wait for each other in one order", async () => {
  const { harness } = hosting.now;
  const { project, repo } = await merges.wired();
  const ticket = await makeTicket(harness, project);
  const id = newAgentId();
  const { token } = project.admin;
  await harness.call("POST", `${ticket.path}/agent-runs`, { token, body: { agent_id: id } });
  const number = next();
  const prUrl = `https://github.com/${repo}/pull/${number}`;
  const warn = vi.spyOn(log, "warn");
  await behindLock<unknown>(
    harness,
    async (tx) => {
      await merges.linkIn(tx, ticket, project, { repo, number });
    },
    () => merges.merge({ repo, number, title: "Names nobody", at: inMinutes(1) }),
    () => sendAgentEvent(harness, { id, status: "FINISHED", timestamp: inMinutes(0), prUrl }),
  );
  expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("a"));
  expect(warn.mock.calls.map(([message]) => message)).not.toContain("deadlock, trying again");
  warn.mockRestore();
});
