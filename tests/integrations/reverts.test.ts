import { describe, expect, test } from "vitest";
import { makeTicket, next } from "../factories.ts";
import { useHosting } from "./hosting.ts";
import { CRON_SECRET, inMinutes, Merges, SHA } from "./_merges.ts";

const hosting = useHosting({ CRON_SECRET });
const merges = new Merges(() => hosting.now);

/** A ticket whose change is merged with SHA("a"). */
async function mergedTicket() {
  const { project, repo } = await merges.wired();
  const ticket = await makeTicket(hosting.now.harness, project);
  const number = next();
  await merges.merge({ repo, number, title: `${ticket.ref} Fix the upload`, mergeSha: SHA("a") });
  const now = async () => (await merges.ticket(ticket, project));
  expect((await now()).merge_sha).toBe(SHA("a"));
  return { ticket, repo, number, now };
}

describe("a merged revert", () => {
  test.each([
    ["GitHub's line", (repo: string, number: number) => `Reverts ${repo}#${number}`],
    ["the number alone", (_: string, number: number) => `Reverts #${number}\r\n\r\nIt was slow.`],
    ["git's line", () => `This reverts commit ${SHA("a")}.`],
    ["git's line, shortened", () => `This reverts commit ${SHA("a").slice(0, 9)}.`],
  ])("takes the merge back before a deploy closes the ticket: %s", async (_, bodyOf) => {
    const { ticket, repo, number, now } = await mergedTicket();
    await merges.merge({
      repo,
      title: `Revert "${ticket.ref} Fix the upload"`,
      body: bodyOf(repo, number),
      mergeSha: SHA("d"),
      mergedAt: inMinutes(1),
    });
    expect(await now()).toMatchObject({ merge_sha: null, ship: "none" });
    for (const sha of [SHA("a"), SHA("d")]) expect((await merges.deploy(repo, sha)).body.closed).toBe(0);
    expect(await now()).toMatchObject({ status: "open", deployed_at: null });
  });

  test("takes back nothing of another change, another repository or a closed ticket", async () => {
    const [other, closed] = [await mergedTicket(), await mergedTicket()];
    await merges.merge({
      repo: other.repo,
      title: 'Revert "Another"',
      body: `Reverts ${other.repo}#${next()}`,
    });
    await merges.merge({
      repo: closed.repo,
      title: 'Revert "Another"',
      body: `This reverts commit ${SHA("b")}.`,
    });
    expect((await other.now()).merge_sha).toBe(SHA("a"));
    expect((await merges.deploy(closed.repo, SHA("a"))).body.closed).toBe(1);
    await merges.merge({ repo: closed.repo, title: 'Revert "It"', body: `Reverts #${closed.number}` });
    expect(await closed.now()).toMatchObject({ status: "closed", merge_sha: SHA("a") });
  });
});

test("the revert of a revert is the change's merge, and its revert takes it back again", async () => {
  const { ticket, repo, number, now } = await mergedTicket();
  let title = `${ticket.ref} Fix the upload`;
  let reverted = number;
  for (const [turn, sha] of [SHA("b"), SHA("c"), SHA("d"), SHA("e")].entries()) {
    title = `Revert "${title}"`;
    const body = `Reverts ${repo}#${reverted}`;
    reverted = next();
    const branch = `revert-${reverted}-${ticket.ref.toLowerCase()}`;
    await merges.merge({
      repo,
      number: reverted,
      title,
      body,
      branch,
      mergeSha: sha,
      mergedAt: inMinutes(turn + 1),
    });
    expect((await now()).merge_sha).toBe(turn % 2 ? sha : null);
  }
  expect((await merges.deploy(repo, SHA("e"))).body.closed).toBe(1);
});

test.each(["\u2010", "\u2011"])("a ref with the hyphen %j of an editor is read", async (hyphen) => {
  const { project, repo } = await merges.wired();
  const ticket = await makeTicket(hosting.now.harness, project);
  await merges.merge({ repo, title: `Fix ${ticket.ref.replace("-", hyphen)}` });
  expect((await merges.ticket(ticket, project)).merge_sha).toBe(SHA("a"));
});
