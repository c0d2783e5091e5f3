import { describe, expect, test } from "vitest";
import { makeTicket, next, replayDelivery, type TestTicket } from "../factories.ts";
import { useHosting } from "./hosting.ts";
import { CRON_SECRET, inMinutes, Merges, SHA } from "./_merges.ts";

const hosting = useHosting({ CRON_SECRET });
const merges = new Merges(() => hosting.now);

describe("a merged pull request", () => {
  test("stamps the tickets that it names in title, body or branch, in the author's name of the sender", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const [title, body, branch, other] = await Promise.all(
      [1, 2, 3, 4].map(() => makeTicket(harness, project)),
    );
    await merges.merge({
      repo: repo.toUpperCase(),
      title: `Fix the upload (${title!.ref})`,
      body: `Part of ${body!.ref}.`,
      branch: `feature/${branch!.ref.toLowerCase()}-upload`,
      mergeSha: SHA("AB").slice(0, 40),
    });
    for (const ticket of [title!, body!, branch!]) {
      expect(await merges.ticket(ticket, project)).toMatchObject({
        merge_sha: SHA("ab").slice(0, 40),
        ship: "merged",
        version: 2,
      });
      const history = await harness.sql`
        select field, actor from history_entries where ticket_id = ${ticket.id}::uuid and field = 'merge_sha'`;
      expect(history).toEqual([{ field: "merge_sha", actor: { kind: "webhook", id: "github" } }]);
      const { body: linked } = await harness.call("GET", `${ticket.path}/pull-requests`, {
        token: project.admin.token,
      });
      expect(linked).toMatchObject({ pull_requests: [{ repo, state: "merged" }], next_cursor: null });
    }
    expect(await merges.ticket(other!, project)).toMatchObject({ merge_sha: null, version: 1 });
  });

  test.each([
    ["the title alone", (ref: string) => ({ title: ref }), true],
    ["a list", (ref: string) => ({ body: `* ${ref}, X1-3` }), true],
    ["a link", (ref: string) => ({ body: `see https://handoff.test/tickets/${ref}` }), true],
    ["emphasis", (ref: string) => ({ body: `_${ref}_` }), true],
    ["a branch with underscores", (ref: string) => ({ branch: `me/fix_${ref.toLowerCase()}_now` }), true],
    [
      "a package's branch",
      (ref: string) => ({ branch: `dependabot/github_actions/actions/${ref.toLowerCase()}` }),
      false,
    ],
    ["a version's branch", (ref: string) => ({ branch: `renovate/${ref.toLowerCase()}.x` }), false],
    ["a package's branch, in capitals", (ref: string) => ({ branch: `renovate/all-of-${ref}` }), true],
    ["a longer number", (ref: string) => ({ title: `${ref}0` }), false],
    ["a number with a zero before it", (ref: string) => ({ title: ref.replace("-", "-0") }), false],
    ["a longer key", (ref: string) => ({ title: `X${ref}` }), false],
    ["a word that goes on", (ref: string) => ({ title: `${ref}th` }), false],
    ["a word with an umlaut", (ref: string) => ({ title: `Ü${ref}` }), false],
    ["a branch with an umlaut", (ref: string) => ({ branch: `u\u0308${ref.toLowerCase()}` }), false],
    ["words without blanks", (ref: string) => ({ title: `修正${ref}を閉じる` }), true],
    ["a version", (ref: string) => ({ title: `${ref}.4` }), false],
    ["small letters in a text", (ref: string) => ({ title: ref.toLowerCase() }), false],
    ["a template's hidden hint", (ref: string) => ({ body: `<!-- such as\n${ref} -->\nnothing` }), false],
    ["a comment's beginning in code", (ref: string) => ({ body: `Escape \`<!--\`.\n\nCloses ${ref}` }), true],
    ["a hidden hint without an end", (ref: string) => ({ body: `text <!-- ${ref}` }), false],
  ])("is read for refs: %s", async (_, facts, found) => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    await merges.merge({ repo, ...facts(ticket.ref) });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(found ? SHA("a") : null);
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
    ["les préfixes #12", false],
    ["これfixes #12", true],
    ["see #12", false],
    ["Closes acme/other#12", false],
    ["closes\n\nnothing #12", false],
  ])("with the words %j closes the linked issue's ticket: %s", async (body, found) => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired(body.includes("/") ? undefined : "acme/linked");
    const ticket = await makeTicket(harness, project);
    await harness.call("PUT", `${ticket.path}/github-issue`, {
      token: project.admin.token,
      body: { repo_full_name: "Acme/Linked", issue_number: 12 },
    });
    await merges.merge({ repo, body });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(found ? SHA("a") : null);
    // Other tests link the same issue.
    await harness.call("DELETE", `${ticket.path}/github-issue`, { token: project.admin.token });
  });

  test("stamps the ticket whose branch carries the closing keyword", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    await harness.call("PUT", `${ticket.path}/github-issue`, {
      token: project.admin.token,
      body: { issue_number: 31 },
    });
    await merges.merge({ repo, branch: "fix/#31-upload" });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("a"));
  });

  test.each([
    ["was closed", true, "closed", 0],
    ["got the name by an edit", true, "edited", 0],
    ["got the name by an edit, by a clock behind ours", true, "edited", -3],
    ["is only labeled", false, "labeled", 0],
    ["is only locked", false, "locked", 0],
    ["was closed before the ticket was made", true, "closed", -10],
    ["was merged before the ticket was made, and edited since", false, "edited", -10],
  ])("that %s stamps the ticket that it names: %s", async (_, found, action, minutes) => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    await merges.merge({ repo, action, title: ticket.ref, at: inMinutes(minutes) });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(found ? SHA("a") : null);
  });

  test.each([
    ["its author from outside", false, {}],
    ["its author, a member of the organisation", true, { author_association: "MEMBER" }],
    ["its author in a private repository", true, { private: true }],
    ["somebody who may edit what others wrote", true, { sender: "maintainer" }],
  ])("whose text is edited after the merge by %s stamps what it names then: %s", async (_, found, facts) => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    const edit = hosting.now.events.pullRequest({
      repo,
      number: next(),
      action: "edited",
      title: ticket.ref,
      mergeSha: SHA("a"),
    });
    const { sender = "stranger", author_association = "NONE", ...repository }: Partial<
      Record<string, unknown>
    > = facts;
    const payload = edit.payload as Record<"pull_request" | "repository", object>;
    Object.assign(payload.pull_request, { user: { login: "stranger" }, author_association });
    Object.assign(payload.repository, { private: false, ...repository });
    Object.assign(payload, { sender: { login: sender } });
    expect((await hosting.now.deliver(edit)).status).toBe(200);
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(found ? SHA("a") : null);
  });

  test.each([
    ["Reverts acme/app#12", false],
    ["Reverts #12\r\n\r\nIt was too slow.", false],
    ["This reverts commit 7fd1a60b01f91b314f59955a4e4d4e80d8edf11d.", false],
    ["This reverts commit 7fd1a60b, reversing\nchanges made to 0123456.", false],
    ["This reverts commitments", true],
    ["Reverts the colours to what they were", true],
  ])("with the line %j is a revert, whose names don't count", async (body, found) => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    await merges.merge({
      repo,
      title: `Revert "${ticket.ref} Fix"`,
      branch: `revert-12-${ticket.ref.toLowerCase()}-fix`,
      body,
    });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(found ? SHA("a") : null);
  });

  test("that reverts another one by hand is one though its branch has another form", async () => {
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(hosting.now.harness, project);
    const branch = `revert-${ticket.ref.toLowerCase()}`;
    await merges.merge({ repo, branch, body: "This reverts commit 7fd1a60." });
    expect((await merges.ticket(ticket, project)).merge_sha).toBe(null);
  });

  test("that reverts another one stamps what it names besides", async () => {
    const { project, repo } = await merges.wired();
    const [reverted, fixed] = [
      await makeTicket(hosting.now.harness, project),
      await makeTicket(hosting.now.harness, project),
    ];
    await merges.merge({
      repo,
      title: `Revert "${reverted.ref} Fix"`,
      body: `Reverts #12\n\n${fixed.ref} is done so.`,
    });
    expect((await merges.ticket(reverted, project)).merge_sha).toBe(null);
    expect((await merges.ticket(fixed, project)).merge_sha).toBe(SHA("a"));
  });

  test("is known by less than GitHub tells of it, and by an event that comes again", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const [named, linked] = await Promise.all([1, 2].map(() => makeTicket(harness, project)));
    const number = next();
    await merges.link(linked!, project, { repo, number });
    const pull_request = {
      number,
      title: `Fix ${named!.ref}`,
      merged: true,
      merge_commit_sha: SHA("e"),
      updated_at: undefined as string | undefined,
    };
    const payload = { action: "closed", pull_request, repository: { full_name: repo } };
    for (let delivery = 0; delivery < 3; delivery++) {
      expect((await hosting.now.deliver({ event: "pull_request", payload })).body).toEqual({ ok: true });
      for (const ticket of [named!, linked!]) {
        expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: SHA("e"), ship: "merged" });
        const { token } = project.admin;
        const { body } = await harness.call("GET", `${ticket.path}/pull-requests`, { token });
        expect(body.pull_requests).toMatchObject([{ repo, number, state: "merged" }]);
      }
      pull_request.title += ", again";
      pull_request.updated_at = inMinutes(delivery + 5);
    }
    const [made] = await harness.sql`
      select url from ticket_pull_requests where ticket_id = ${named!.id}::uuid`;
    expect(made!.url).toBe(`${new URL(hosting.now.github.url).origin}/${repo}/pull/${number}`);
  });

  test("stamps nothing in projects that are not wired to its repository, nor when it is only closed", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const ticket = await makeTicket(harness, project);
    await merges.merge({ repo: "acme/elsewhere", title: ticket.ref });
    const closed = hosting.now.events.pullRequest({
      repo,
      number: next(),
      title: ticket.ref,
      state: "closed",
    });
    expect((await hosting.now.deliver(closed)).status).toBe(200);
    expect(await merges.ticket(ticket, project)).toMatchObject({ merge_sha: null, version: 1 });
    const outcomes = await harness.sql`select reason from inbound_deliveries order by id desc limit 2`;
    expect(outcomes.map(({ reason }) => reason)).toEqual(["no_ticket", "unknown_repo"]);
  });

  test("stamps a hundred tickets with as many statements as one", async () => {
    const { harness } = hosting.now;
    const { project, repo } = await merges.wired();
    const tickets: TestTicket[] = [];
    for (let index = 0; index < 100; index++) tickets.push(await makeTicket(harness, project));
    const one = await harness.count(() => merges.merge({ repo, title: tickets[0]!.ref }));
    const body = tickets.map(({ ref }) => ref).join(" ");
    expect(await harness.count(() => merges.merge({ repo, body, mergeSha: SHA("b") }))).toBe(one);
    const [stamped] = await harness.sql`
      select count(*) as tickets from tickets where project_id = ${project.id}::uuid and merge_sha = ${
      SHA("b")
    }`;
    expect(stamped).toEqual({ tickets: 100 });
  });
});

test("a pull request's event without a time happened when it came, also when it is run again", async () => {
  const { harness } = hosting.now;
  const { project, repo } = await merges.wired();
  const ticket = await makeTicket(harness, project);
  const number = next();
  await merges.link(ticket, project, { repo, number });
  const told = (action: string) => ({
    event: "pull_request",
    payload: { action, pull_request: { number }, repository: { full_name: repo } },
  });
  await hosting.now.deliver(told("closed"), `closed-${number}`);
  await hosting.now.deliver(told("reopened"));
  await replayDelivery(harness, `closed-${number}`);
  const { body } = await harness.call("GET", `${ticket.path}/pull-requests`, { token: project.admin.token });
  expect(body.pull_requests).toMatchObject([{ repo, number, state: "open" }]);
});
