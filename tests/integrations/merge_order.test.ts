import { describe, expect, test } from "vitest";
import { makeProject, makeTicket, next, type TestProject, type TestTicket } from "../factories.ts";
import { useHosting } from "./_hosting.ts";
import { CRON_SECRET, Merges, SHA } from "./_merges.ts";

const hosting = useHosting({ CRON_SECRET });
const merges = new Merges(() => hosting.now);

async function wire(project: TestProject, repo: string): Promise<void> {
  const { status } = await hosting.now.harness.call("PUT", `${project.path}/repositories`, {
    token: project.admin.token,
    body: { repositories: [repo] },
  });
  expect(status).toBe(200);
}

describe("what comes again, late or in another order", () => {
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
      expect((await merges.ticket(ticket, project)).merge_sha, String(order)).toBe(SHA("2"));
      const links = await harness.sql`
        select number, state from ticket_pull_requests where ticket_id = ${ticket.id}::uuid order by number`;
      expect(links).toEqual([{ number: one, state: "merged" }, { number: two, state: "merged" }]);
    }
  });

  test("a reopened ticket that is merged again waits for the new deploy", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("1"), at: "2026-11-20T10:00:00Z" });
    expect((await merges.deploy(repo, SHA("1"))).body).toMatchObject({ stamped: 1, closed: 1 });
    await harness.call("POST", `${project.path}/tickets/bulk`, {
      token: project.admin.token,
      body: { action: "move", stage: "in_progress", ticket_ids: [ticket.id] },
    });
    expect(await merges.ticket(ticket, project)).toMatchObject({ status: "open", ship: "deployed" });
    await merges.merge({ repo, title: ticket.ref, mergeSha: SHA("2"), at: "2026-11-20T11:00:00Z" });
    expect(await merges.ticket(ticket, project)).toMatchObject({
      merge_sha: SHA("2"),
      deployed_at: null,
      deploy_failed_at: null,
      ship: "waiting",
    });
    expect((await merges.deploy(repo, SHA("2"))).body).toMatchObject({ stamped: 1, closed: 1 });
    expect(await merges.ticket(ticket, project)).toMatchObject({ status: "closed", ship: "deployed" });
  });

  test("a pull request that was closed, reopened and merged counts as merged", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const number = next();
    const facts = { repo, number, title: ticket.ref };
    const { events } = hosting.now;
    await hosting.now.deliver(events.pullRequest({ ...facts, state: "closed", at: "2026-11-20T10:00:00Z" }));
    await hosting.now.deliver(
      events.pullRequest({ ...facts, action: "reopened", at: "2026-11-20T10:01:00Z" }),
    );
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(null);
    await merges.merge({ ...facts, mergeSha: SHA("d"), at: "2026-11-20T10:02:00Z" });
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
    const [link] = await harness
      .sql`select state from ticket_pull_requests where ticket_id = ${ticket.id}::uuid`;
    expect(link).toEqual({ state: "merged" });
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

    const patch = async (ticket: TestTicket, { admin }: TestProject, body: unknown) => {
      const answer = await harness.call("PATCH", ticket.path, { token: admin.token, body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    };
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
    await merges.merge({ ...facts, action: "labeled" });
    await merges.deploy(repo, SHA("c"));
    await harness.work("close-parked-tickets");
    const after = await Promise.all(all.map(([ticket, project]) => merges.ticket(ticket, project)));
    const facing = ({ status, stage, merge_sha }: typeof before[0]) => ({ status, stage, merge_sha });
    expect(after.map(facing)).toEqual(before.map(facing));
  });

  test("an event of an earlier merge never takes the place of a later one", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    const first = { repo, number: next(), title: ticket.ref, mergeSha: SHA("1"), at: "2026-11-20T10:00:00Z" };
    await merges.merge(first);
    await merges.merge({ ...first, number: next(), mergeSha: SHA("2"), at: "2026-11-20T11:00:00Z" });
    await merges.merge({ ...first, action: "labeled" });
    expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("2"), version: 3 });
  });

  test("a linked pull request stamps its ticket by whatever way it was merged", async () => {
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
