import { describe, expect, test } from "vitest";
import { behindLock, besideLock } from "../behind_lock.ts";
import { makeProject, makeTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { CRON_SECRET, makeMerged, merge, newSha, readTicket, sendDeploy } from "./setup.ts";

const harness = useHarness({ env: { CRON_SECRET } });

describe("a deploy record", () => {
  test("stamps and closes the tickets of the sha, and tells how many", async () => {
    const project = await makeProject(harness.now, { repositories: ["Acme/Handoff"] });
    const sha = newSha();
    const [one, other] = [
      await makeMerged(harness.now, project, sha),
      await makeMerged(harness.now, project, newSha()),
    ];
    await makeMerged(harness.now, project, sha);
    const { status, body } = await sendDeploy(harness.now, { repo: "Acme/Handoff", sha });
    expect([status, body]).toEqual([200, { stamped: 2, closed: 2, ignored: false }]);
    expect(await readTicket(harness.now, project, one)).toMatchObject({
      status: "closed",
      stage: "live",
      ship: "deployed",
      resolution_type: "completed",
      deployed_at: expect.any(String),
    });
    expect(await readTicket(harness.now, project, other)).toMatchObject({ status: "open", ship: "waiting" });
  });

  test("is written to history under the webhook's name", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/history"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    await sendDeploy(harness.now, { repo: "acme/history", sha });
    const rows = await harness.now.sql`
      select field from history_entries where ticket_id = ${ticket.id}::uuid and actor ->> 'kind' = 'webhook'
        and actor ->> 'id' = 'deploy' order by field`;
    expect(rows.map(({ field }) => field)).toEqual([
      "closed_at",
      "deployed_at",
      "resolution_type",
      "stage",
      "status",
    ]);
  });

  test("leaves open what a gate holds back, and what waits for another repository", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/gated"] });
    const elsewhere = await makeProject(harness.now, { repositories: ["acme/elsewhere"] });
    const sha = newSha();
    const unfinished = await makeMerged(harness.now, project, sha, { roles: ["qa"] });
    const tested = await makeMerged(harness.now, project, sha);
    await harness.now.call("POST", `${tested.path}/test-cases`, {
      token: project.admin.token,
      body: { title: "Upload a file", instruction: "Upload a file of 3 GB and look at it." },
    });
    const foreign = await makeMerged(harness.now, elsewhere, sha);
    const { body } = await sendDeploy(harness.now, { repo: "acme/gated", sha });
    expect(body).toEqual({ stamped: 2, closed: 0, ignored: false });
    expect(await readTicket(harness.now, project, unfinished)).toMatchObject({
      status: "open",
      ship: "deployed",
    });
    expect(await readTicket(harness.now, project, tested)).toMatchObject({
      status: "open",
      ship: "deployed",
    });
    expect(await readTicket(harness.now, elsewhere, foreign)).toMatchObject({
      status: "open",
      deployed_at: null,
    });
  });

  test("closes the tickets that waited for it in a project that has been archived since", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/archived"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    await harness.now.call("DELETE", project.path, { token: project.admin.token });
    const { body } = await sendDeploy(harness.now, { repo: "acme/archived", sha });
    expect(body).toEqual({ stamped: 1, closed: 1, ignored: false });
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      status: "closed",
      ship: "deployed",
    });
  });

  test("a repeat stamps nothing and runs the close step again", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/repeat"] });
    const sha = newSha();
    const held = await makeMerged(harness.now, project, sha, { roles: ["qa"] });
    expect((await sendDeploy(harness.now, { repo: "acme/repeat", sha })).body).toMatchObject({
      stamped: 1,
      closed: 0,
    });
    const { deployed_at } = await readTicket(harness.now, project, held);
    for (const step of ["start", "finish"]) {
      await harness.now.call("POST", `${held.path}/roles/qa/${step}`, {
        token: project.admin.token,
        body: {},
      });
    }
    expect((await sendDeploy(harness.now, { repo: "acme/repeat", sha })).body).toMatchObject({
      stamped: 0,
      closed: 1,
    });
    expect((await sendDeploy(harness.now, { repo: "acme/repeat", sha })).body).toMatchObject({
      stamped: 0,
      closed: 0,
    });
    expect(await readTicket(harness.now, project, held)).toMatchObject({ status: "closed", deployed_at });
  });

  test("compares repositories without case, and takes a sha in capitals", async () => {
    const project = await makeProject(harness.now, { repositories: ["Acme/MixedCase"] });
    const sha = "abcdef0123".repeat(4);
    await makeMerged(harness.now, project, sha);
    const { body } = await sendDeploy(harness.now, { repo: "aCME/mixedcASE", sha: sha.toUpperCase() });
    expect(body).toEqual({ stamped: 1, closed: 1, ignored: false });
  });

  test("acknowledges another environment and an unknown repository, and remembers neither", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/staged"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    const staging = await sendDeploy(harness.now, { repo: "acme/staged", sha, environment: "staging" });
    expect([staging.status, staging.body]).toEqual([
      200,
      { stamped: 0, closed: 0, ignored: true, reason: "not_production" },
    ]);
    const unknown = await sendDeploy(harness.now, { repo: "acme/nobody-has-this", sha });
    expect(unknown.body).toEqual({ stamped: 0, closed: 0, ignored: true, reason: "unknown_repo" });
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "open", ship: "merged" });
  });

  test("acknowledges any other name of the environment, and takes any run id", async () => {
    for (const text of ["", "Production", "\0", "\ud800", "🚀".repeat(1000)]) {
      const record = { repo: "acme/anywhere", sha: newSha(), environment: text, run_id: text || null };
      const { status, body } = await sendDeploy(harness.now, record);
      expect([status, body.reason]).toEqual([200, "not_production"]);
    }
  });

  test("a failed deploy stamps its failure once and closes nothing; a later success counts", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/failing"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    const failed = { repo: "acme/failing", sha, status: "failed" };
    expect((await sendDeploy(harness.now, failed)).body).toEqual({ stamped: 1, closed: 0, ignored: false });
    expect((await sendDeploy(harness.now, failed)).body).toEqual({ stamped: 0, closed: 0, ignored: false });
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      status: "open",
      ship: "deploy_failed",
    });
    expect((await sendDeploy(harness.now, { repo: "acme/failing", sha })).body).toMatchObject({
      stamped: 1,
      closed: 1,
    });
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      status: "closed",
      ship: "deployed",
    });
  });

  test("success, failed, success: every order ends the same", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/orders"] });
    const orders = [["success", "failed", "success"], ["failed", "success", "success"], [
      "success",
      "success",
      "failed",
    ]];
    for (const order of orders) {
      const sha = newSha();
      const ticket = await makeMerged(harness.now, project, sha);
      for (const [run, status] of order.entries()) {
        await sendDeploy(harness.now, { repo: "acme/orders", sha, status, run_id: String(run) });
        if (run % 2 === 0) {
          await sendDeploy(harness.now, { repo: "acme/orders", sha, status, run_id: String(run) });
        }
      }
      expect(await readTicket(harness.now, project, ticket), order.join()).toMatchObject({
        status: "closed",
        stage: "live",
        ship: "deployed",
        resolution_type: "completed",
        deployed_at: expect.any(String),
      });
    }
  });

  test("a success that began before a failure and came behind it counts", async () => {
    const project = await makeProject(harness.now);
    const success = { repo: "acme/overtaken", sha: newSha() };
    expect((await sendDeploy(harness.now, success)).body).toMatchObject({ reason: "unknown_repo" });
    const { status } = await harness.now.call("PUT", `${project.path}/repositories`, {
      token: project.admin.token,
      body: { repositories: [success.repo] },
    });
    expect(status).toBe(200);
    const ticket = await makeMerged(harness.now, project, success.sha, { roles: ["qa"] });
    const { waited, passed } = await besideLock(
      harness.now,
      (tx) =>
        tx`select from inbound_deliveries where subject = ${`${success.repo}@${success.sha}`} for update`,
      {
        waits: () => sendDeploy(harness.now, success),
        passes: () => sendDeploy(harness.now, { ...success, status: "failed" }),
      },
    );
    expect([passed.body.stamped, waited.body.stamped]).toEqual([1, 1]);
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      status: "open",
      ship: "deployed",
    });
  });

  test("a deploy that was heard of before its merge counts at the merge", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/early"] });
    const sha = newSha();
    const ticket = await makeTicket(harness.now, project);
    expect((await sendDeploy(harness.now, { repo: "acme/early", sha })).body).toMatchObject({
      stamped: 0,
      closed: 0,
    });
    await merge(harness.now, ticket, sha.toUpperCase());
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      ship: "deployed",
      merge_sha: sha,
    });
    await harness.now.run("sweep-merged-tickets");
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "closed" });
  });

  test("what was heard of before its merge counts as if it had come after it", async () => {
    const project = await makeProject(harness.now, { repositories: ["Acme/Heard"] });
    const heard = async (...statuses: string[]) => {
      const [sha, ticket] = [newSha(), await makeTicket(harness.now, project)];
      for (const status of statuses) await sendDeploy(harness.now, { repo: "acme/heard", sha, status });
      await merge(harness.now, ticket, sha);
      const { ship, deploy_failed_at } = await readTicket(harness.now, project, ticket);
      return [ship, deploy_failed_at !== null];
    };
    expect(await heard("failed")).toEqual(["deploy_failed", true]);
    expect(await heard("failed", "success")).toEqual(["deployed", true]);
    expect(await heard("success", "failed")).toEqual(["deployed", false]);
  });

  test("locks closed and open tickets in one order: beside a change of many neither is run twice", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/beside"] });
    const sha = newSha();
    const [first, second] = [
      await makeMerged(harness.now, project, sha),
      await makeMerged(harness.now, project, sha),
    ];
    const options = { token: project.admin.token };
    await harness.now.call("PATCH", first.path, { ...options, body: { status: "closed" } });
    const before = harness.now.statements.length;
    const ticket_ids = [first.id, second.id];
    const [bulk, deploy] = await behindLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${first.id}::uuid for update`,
      () =>
        harness.now.call("POST", `${project.path}/tickets/bulk`, {
          ...options,
          body: { action: "move", stage: "validation", ticket_ids },
        }),
      () => sendDeploy(harness.now, { repo: "acme/beside", sha }),
    );
    expect(bulk!.body).toMatchObject({ updated: 2 });
    expect(deploy!.body).toEqual({ stamped: 2, closed: 2, ignored: false });
    const begun = harness.now.statements.slice(before).filter((text) => text.includes("handoff.actor"));
    expect(begun).toHaveLength(2);
  });

  test("closes a ticket at once whose merge comes in while the others close", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/meanwhile"] });
    const sha = newSha();
    const parked = await makeMerged(harness.now, project, sha);
    const [late, held] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project, { roles: ["qa"] }),
    ];
    await harness.now.sql`
      insert into ticket_embeddings (ticket_id, project_id, open, embedding)
      values (${parked.id}::uuid, ${project.id}::uuid, true, array_fill(0.05, array[384])::vector)`;
    const { waited } = await besideLock<unknown>(
      harness.now,
      (tx) => tx`select from ticket_embeddings where ticket_id = ${parked.id}::uuid for update`,
      {
        waits: () => sendDeploy(harness.now, { repo: "acme/meanwhile", sha }),
        passes: () => Promise.all([late, held].map((ticket) => merge(harness.now, ticket, sha))),
      },
    );
    expect(waited).toMatchObject({ status: 200, body: { stamped: 3, closed: 2, ignored: false } });
    expect(await readTicket(harness.now, project, late)).toMatchObject({
      status: "closed",
      ship: "deployed",
      resolution_type: "completed",
    });
    expect(await readTicket(harness.now, project, held)).toMatchObject({ status: "open", ship: "deployed" });
  });

  test("closes what someone reopened before it, at once or when its gates are passed", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/reopened"] });
    const sha = newSha();
    const [free, held] = [
      await makeMerged(harness.now, project, sha),
      await makeMerged(harness.now, project, sha),
    ];
    const options = { token: project.admin.token };
    for (const ticket of [free, held]) {
      for (const status of ["closed", "open"]) {
        await harness.now.call("PATCH", ticket.path, { ...options, body: { status } });
      }
    }
    await harness.now.call("PATCH", held.path, { ...options, body: { roles: ["qa"] } });
    await sendDeploy(harness.now, { repo: "acme/reopened", sha, status: "failed" });
    const deployed = await sendDeploy(harness.now, { repo: "acme/reopened", sha });
    expect(deployed.body).toEqual({ stamped: 2, closed: 1, ignored: false });
    expect(await readTicket(harness.now, project, free)).toMatchObject({ status: "closed" });
    expect(await readTicket(harness.now, project, held)).toMatchObject({ status: "open", ship: "deployed" });
    const { records } = (await harness.now.call("GET", `${project.path}/export`, options)).body;
    expect(records.map(({ reopened }: { reopened: boolean }) => reopened)).toEqual([false, false]);
    await harness.now.call("PATCH", held.path, { ...options, body: { roles: [] } });
    const again = await sendDeploy(harness.now, { repo: "acme/reopened", sha });
    expect(again.body).toEqual({ stamped: 0, closed: 1, ignored: false });
  });

  test("a second merge waits for a deploy of its own", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/again"] });
    const ticket = await makeMerged(harness.now, project, newSha());
    const first = await readTicket(harness.now, project, ticket);
    await sendDeploy(harness.now, { repo: "acme/again", sha: first.merge_sha });
    const reopen = { action: "move", stage: "in_progress", ticket_ids: [ticket.id] };
    await harness.now.call("POST", `${project.path}/tickets/bulk`, {
      token: project.admin.token,
      body: reopen,
    });
    await sendDeploy(harness.now, { repo: "acme/again", sha: first.merge_sha });
    await harness.now.run("sweep-merged-tickets");
    expect(await readTicket(harness.now, project, ticket), "reopened on purpose").toMatchObject({
      status: "open",
    });
    const sha = newSha();
    await merge(harness.now, ticket, sha);
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({
      ship: "waiting",
      deployed_at: null,
    });
    expect((await sendDeploy(harness.now, { repo: "acme/again", sha })).body).toMatchObject({
      stamped: 1,
      closed: 1,
    });
  });
});
