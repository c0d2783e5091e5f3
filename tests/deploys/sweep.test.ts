import { describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { makeProject, makeTicket, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { analyze } from "../suggestions/world.ts";
import { CRON_SECRET, makeMerged, merge, newSha, readTicket, sendDeploy } from "./setup.ts";

const harness = useHarness({ env: { CRON_SECRET } });

async function sweep(): Promise<void> {
  expect(await harness.now.run("sweep-merged-tickets")).toBe(1);
}

describe("the hourly sweep", () => {
  test("closes merged tickets of projects that no repository ever reported a deploy for, under its own name", async () => {
    const silent = await makeProject(harness.now, { repositories: ["acme/silent"] });
    const none = await makeProject(harness.now);
    const reporting = await makeProject(harness.now, { repositories: ["acme/quiet", "ACME/Reporting"] });
    await sendDeploy(harness.now, { repo: "acme/reporting", sha: newSha() });
    const closing = await makeMerged(harness.now, silent, newSha());
    const orphan = await makeMerged(harness.now, none, newSha());
    const waiting = await makeMerged(harness.now, reporting, newSha());
    const unmerged = await makeTicket(harness.now, silent);
    const unfinished = await makeMerged(harness.now, silent, newSha(), { roles: ["qa"] });
    await sweep();
    expect(await readTicket(harness.now, silent, closing)).toMatchObject({
      status: "closed",
      resolution_type: "completed",
    });
    expect(await readTicket(harness.now, none, orphan)).toMatchObject({ status: "closed" });
    expect(await readTicket(harness.now, reporting, waiting)).toMatchObject({
      status: "open",
      ship: "waiting",
    });
    expect(await readTicket(harness.now, silent, unmerged)).toMatchObject({ status: "open" });
    expect(await readTicket(harness.now, silent, unfinished)).toMatchObject({ status: "open" });
    const [closed] = await harness.now.sql`
      select actor from history_entries where ticket_id = ${closing.id}::uuid and field = 'status'`;
    expect(closed?.actor).toMatchObject({ kind: "job", id: "sweep-merged-tickets" });
  });

  test("leaves a ticket open of which it hears at that moment that its deploy failed, the first in its project", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/first"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    await behindLock<unknown>(
      harness.now,
      (tx) => tx`select from tickets where id = ${ticket.id}::uuid for update`,
      () => sendDeploy(harness.now, { repo: "acme/first", sha, status: "failed" }),
      sweep,
    );
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      status: "open",
      ship: "deploy_failed",
    });
  });

  test("closes a deployed ticket whose last role was finished since, also when it was moved in between", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/late"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha, { roles: ["qa"] });
    await sendDeploy(harness.now, { repo: "acme/late", sha });
    await sweep();
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "open" });
    const body = { stage: "validation" };
    await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body });
    for (const step of ["start", "finish"]) {
      await harness.now.call("POST", `${ticket.path}/roles/qa/${step}`, {
        token: project.admin.token,
        body: {},
      });
    }
    await sweep();
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      status: "closed",
      ship: "deployed",
    });
  });

  test("leaves a ticket open that someone reopened, until it is merged again", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeMerged(harness.now, project, newSha());
    await sweep();
    for (const stage of ["backlog", "in_progress"]) {
      await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { stage } });
      await sweep();
      expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "open", stage });
    }
    await merge(harness.now, ticket, newSha());
    await sweep();
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "closed" });
  });

  test("leaves a ticket open that someone reopened, though a deploy failed and none is waited for any more", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/left"] });
    const { token } = project.admin;
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    for (const status of ["closed", "open"]) {
      await harness.now.call("PATCH", ticket.path, { token, body: { status } });
    }
    await sendDeploy(harness.now, { repo: "acme/left", sha, status: "failed" });
    await harness.now.call("PUT", `${project.path}/repositories`, { token, body: { repositories: [] } });
    await sweep();
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "open" });
  });

  test("stamps what a merge and its deploy missed of each other", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/missed"] });
    const { sql } = harness.now;
    const missed = async (...statuses: string[]) => {
      const sha = newSha();
      const ticket = await makeMerged(harness.now, project, sha);
      for (const status of statuses) {
        await sql`insert into deploys (repo, sha, status) values ('acme/missed', ${sha}, ${status})`;
      }
      return ticket;
    };
    await sql`insert into deploy_reports (repo) values ('acme/missed')`;
    const forked = await missed();
    const { merge_sha } = await readTicket(harness.now, project, forked);
    await sql`insert into deploys (repo, sha, status) values ('acme/fork', ${merge_sha}, 'success')`;
    const [open, closed] = [await missed("success"), await missed("success")];
    const [failed, both] = [await missed("failed"), await missed("failed", "success")];
    const failedAfter = await missed("success", "failed");
    const overtaken = await missed("success");
    const { merge_sha: sha } = await readTicket(harness.now, project, overtaken);
    await sendDeploy(harness.now, { repo: "acme/missed", sha, status: "failed" });
    await harness.now.call("PATCH", closed.path, {
      token: project.admin.token,
      body: { status: "closed", resolution_type: "already_done" },
    });
    await sweep();
    const read = (ticket: TestTicket) => readTicket(harness.now, project, ticket);
    expect(await read(open)).toMatchObject({ status: "closed", ship: "deployed" });
    expect(await read(closed)).toMatchObject({ resolution_type: "already_done", ship: "deployed" });
    expect(await read(failed)).toMatchObject({ status: "open", ship: "deploy_failed" });
    for (const ticket of [both, failedAfter, overtaken]) {
      expect(await read(ticket)).toMatchObject({ status: "closed", ship: "deployed" });
    }
    expect(await read(forked)).toMatchObject({ status: "open", ship: "waiting" });
    const { version } = await read(failed);
    await sweep();
    expect((await read(failed)).version, "stamped once").toBe(version);
  });

  test("stamps no ticket that is merged again while the sweep waits for it", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/anew"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    await harness.now.sql`insert into deploys (repo, sha, status) values ('acme/anew', ${sha}, 'success')`;
    await harness.now.sql`insert into deploy_reports (repo) values ('acme/anew')`;
    const body = { merge_sha: newSha() };
    await behindLock<unknown>(
      harness.now,
      (tx) => tx`select from tickets where id = ${ticket.id}::uuid for update`,
      () => harness.now.call("PATCH", ticket.path, { token: project.admin.token, body }),
      sweep,
    );
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      ...body,
      status: "open",
      ship: "waiting",
    });
  });

  test("stamps a few hundred in one transaction, however many a repository brings along", async () => {
    const { sql, statements } = harness.now;
    const project = await makeProject(harness.now, { repositories: ["acme/many"] });
    await sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`
        with merged as (
          insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
            actor_id, source, created_with, stage, status, closed_at, merge_sha)
          select gen_random_uuid(), ${project.id}::uuid, n, 'Ticket', 'Merged and closed', 'bug', 'low', false, 'user', 'u',
            'portal', 'session', 'live', 'closed', now(), md5(n::text) || '00000000'
          from generate_series(1, 501) n returning merge_sha
        )
        insert into deploys (repo, sha, status) select 'acme/many', merge_sha, 'success' from merged`;
    });
    const before = statements.length;
    await sweep();
    const [{ stamped }] = await sql<[{ stamped: number }]>`
      select count(*) as stamped from tickets where project_id = ${project.id}::uuid and deployed_at is not null`;
    expect(stamped).toBe(501);
    const steps = statements.slice(before).filter((text) => /due as .*join deploys d on/s.test(text));
    expect(steps).toHaveLength(2);
  });

  test("goes on past its first step", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeMerged(harness.now, project, newSha());
    const { sql } = harness.now;
    await sql.begin(async (tx) => {
      await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
      await tx`
        insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
          actor_id, source, created_with, merge_sha)
        select gen_random_uuid(), project_id, number + n, title, description, request_type, priority, blocking, actor_role,
          actor_id, source, created_with, merge_sha
        from tickets, generate_series(1, 1100) n where id = ${ticket.id}::uuid`;
    });
    await sweep();
    const [left] = await sql<{ count: number }[]>`
      select count(*) from tickets where project_id = ${project.id}::uuid and status = 'open'`;
    expect(left?.count).toBe(0);
  });
});

const CLOSERS: [string, (sha: string) => Promise<unknown>][] = [
  ["the hourly sweep", sweep],
  ["the job of a deploy", async (sha) => {
    const { services, sql } = harness.now;
    await services.queue.enqueue(sql, "close-parked-tickets", { repo: "acme/meanwhile", sha });
    await harness.now.work("close-parked-tickets");
  }],
  ["the analyzer", () => analyze(harness.now)],
  ["a deploy that is told again", (sha) => sendDeploy(harness.now, { repo: "acme/meanwhile", sha })],
];

test.each(CLOSERS)(
  "%s leaves a ticket open whose last deploy failed, as an import may bring it",
  async (_, close) => {
    const project = await makeProject(harness.now, { repositories: ["acme/meanwhile"] });
    await sendDeploy(harness.now, { repo: "acme/meanwhile", sha: newSha() });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    await harness.now.sql`
    with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
    update tickets set deployed_at = now() - interval '1 hour', deploy_failed_at = now() from author
    where id = ${ticket.id}::uuid`;
    await close(sha);
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      status: "open",
      ship: "deploy_failed",
    });
  },
);

// On the embedded database the sweep begins after the merge is committed.
test.each(CLOSERS)("%s leaves a ticket open that is merged anew while it waits for it", async (_, close) => {
  const project = await makeProject(harness.now, { repositories: ["acme/meanwhile"] });
  const options = { token: project.admin.token };
  const sha = newSha();
  const ticket = await makeMerged(harness.now, project, sha, { roles: ["qa"] });
  await sendDeploy(harness.now, { repo: "acme/meanwhile", sha });
  for (const step of ["start", "finish"]) {
    await harness.now.call("POST", `${ticket.path}/roles/qa/${step}`, { ...options, body: {} });
  }
  expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "open", ship: "deployed" });
  const merge_sha = newSha();
  await behindLock<unknown>(
    harness.now,
    (tx) => tx`select from tickets where id = ${ticket.id}::uuid for update`,
    () => harness.now.call("PATCH", ticket.path, { ...options, body: { merge_sha } }),
    () => close(sha),
  );
  expect(await readTicket(harness.now, project, ticket)).toMatchObject({
    status: "open",
    merge_sha,
    ship: "waiting",
  });
});
