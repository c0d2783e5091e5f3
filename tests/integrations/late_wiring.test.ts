import { describe, expect, test } from "vitest";
import { makeProject, makeTicket, next, type TestProject } from "../factories.ts";
import { SHA } from "./_merges.ts";
import { useHosting } from "./hosting.ts";

const hosting = useHosting();

function wire({ path, admin }: TestProject, repositories: string[]) {
  return hosting.now.harness.call("PUT", `${path}/repositories`, {
    token: admin.token,
    body: { repositories },
  });
}

async function read({ path }: { path: string }, { admin }: TestProject) {
  return (await hosting.now.harness.call("GET", path, { token: admin.token })).body;
}

describe("a delivery that came before its project was wired", () => {
  test("stamps the ticket that a merge names when it comes again", async () => {
    const { harness, events } = hosting.now;
    const [project, repo, id] = [await makeProject(harness), `acme/late-${next()}`, crypto.randomUUID()];
    const ticket = await makeTicket(harness, project);
    const merge = events.pullRequest({ repo, number: next(), title: ticket.ref, mergeSha: SHA("a") });
    expect((await hosting.now.deliver(merge, id)).status).toBe(200);
    expect(await read(ticket, project)).toMatchObject({ merge_sha: null });
    expect((await wire(project, [repo])).status).toBe(200);
    for (const version of [2, 2]) {
      expect((await hosting.now.deliver(merge, id)).status).toBe(200);
      expect(await read(ticket, project)).toMatchObject({ merge_sha: SHA("a"), version });
    }
  });

  test("does so where another project was wired to the repository already", async () => {
    const { harness, events } = hosting.now;
    const repo = `acme/shared-${next()}`;
    await makeProject(harness, { repositories: [repo] });
    const project = await makeProject(harness);
    const ticket = await makeTicket(harness, project);
    const merge = events.pullRequest({ repo, number: next(), title: ticket.ref, mergeSha: SHA("b") });
    await hosting.now.deliver(merge, crypto.randomUUID());
    await wire(project, [repo]);
    // The delivery has no name here, so a repeat is recognized by its body.
    await hosting.now.deliver(merge);
    expect(await read(ticket, project)).toMatchObject({ merge_sha: SHA("b") });
  });

  test("brings the link of a ticket to its issue up to date when it comes again", async () => {
    const { harness, events } = hosting.now;
    const [project, repo] = [await makeProject(harness), `acme/issues-${next()}`];
    const ticket = await makeTicket(harness, project);
    const edited = events.issue({ repo, number: 7, action: "edited", title: "Known now", state: "open" });
    await hosting.now.deliver(edited, "early-issue");
    await wire(project, [repo]);
    await harness.call("PUT", `${ticket.path}/github-issue`, {
      token: project.admin.token,
      body: { repo_full_name: repo, issue_number: 7 },
    });
    await hosting.now.deliver(edited, "early-issue");
    const [link] = await harness.sql`select title from ticket_issues where ticket_id = ${ticket.id}::uuid`;
    expect(link).toEqual({ title: "Known now" });
  });
});
