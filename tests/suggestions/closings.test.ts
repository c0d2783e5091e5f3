import { describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import { CRON_SECRET, sendDeploy } from "../deploys/setup.ts";
import { useHarness } from "../harness.ts";
import { analyze, analyzeAll, decide, leaveAlone, list, makeDoneTask, stateOf } from "./world.ts";

const harness = useHarness({ env: { CRON_SECRET } });
const SHA = "3f".repeat(20);

function patch(project: TestProject, ticket: Pick<TestTicket, "path">, body: Record<string, unknown>) {
  return harness.now.call("PATCH", ticket.path, { token: project.admin.token, body });
}

function post(project: TestProject, path: string, body: Record<string, unknown> = {}) {
  return harness.now.call("POST", path, { token: project.admin.token, body });
}

/**
 * A merged ticket whose role is finished. Its repository never reported a deploy, or the role was
 * finished after the deploy.
 */
async function makeFinished({ deployed = false } = {}) {
  const repo = deployed ? "acme/deployed" : "acme/quiet";
  const project = await makeProject(harness.now, { repositories: [repo] });
  const ticket = await makeTicket(harness.now, project, { roles: ["backend"] });
  await patch(project, ticket, { stage: "validation", merge_sha: SHA });
  if (deployed) await sendDeploy(harness.now, { repo, sha: SHA });
  await post(project, `${ticket.path}/roles/backend/start`);
  await post(project, `${ticket.path}/roles/backend/finish`);
  return { project, ticket };
}

/** A ticket whose only task is done and which has no known merge. */
async function makeThrough() {
  const project = await makeProject(harness.now);
  const ticket = await makeTicket(harness.now, project);
  return { project, ticket, task: await makeDoneTask(harness.now, project, ticket) };
}

/** A stale ticket that went back to the backlog by its suggestion. */
async function makeMoved() {
  const project = await makeProject(harness.now);
  const ticket = await makeTicket(harness.now, project);
  const { body: task } = await post(project, `${ticket.path}/tasks`, { title: "A task", role: "qa" });
  await patch(project, ticket, { stage: "in_progress" });
  await leaveAlone(harness.now, ticket.id, 28);
  await analyzeAll(harness.now);
  const [stale] = await list(harness.now, project);
  await decide(harness.now, project, stale!, "accept");
  return { project, ticket, task: { path: `${ticket.path}/tasks/${task.id}` }, stale: stale! };
}

async function sweep() {
  await harness.now.run("sweep-merged-tickets");
}

test("where only people close, an agent can't accept a closing, and a person can", async () => {
  const { project, ticket } = await makeThrough();
  expect(
    (await harness.now.call("PATCH", project.path, {
      token: project.admin.token,
      body: { closing: "people" },
    })).status,
  )
    .toBe(200);
  await leaveAlone(harness.now, ticket.id, 28);
  await analyzeAll(harness.now);
  const [close] = await list(harness.now, project);
  expect(close).toMatchObject({ kind: "close", ticket_id: ticket.id });
  const { token } = await makeKey(harness.now, project.admin);
  const refused = await harness.now.call("POST", `${project.path}/ai-suggestions/${close!.id}/accept`, {
    token,
  });
  expect([refused.status, refused.body.code]).toEqual([409, "people_close"]);
  expect((await decide(harness.now, project, close!, "accept")).status).toBe(200);
  expect(await stateOf(harness.now, ticket.id)).toMatchObject({ status: "closed" });
});

describe("a merged ticket in which nothing is left to do", () => {
  test("is closed by the analyzer once it is deployed, which shows it as executed; undo restores the exact former state for good", async () => {
    const { project, ticket } = await makeFinished({ deployed: true });
    await leaveAlone(harness.now, ticket.id, 28);
    const before = await stateOf(harness.now, ticket.id);
    await analyze(harness.now);
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({
      status: "closed",
      resolution_type: "completed",
    });
    expect(await list(harness.now, project), "stale no more").toEqual([]);
    const [executed] = await list(harness.now, project, "status=executed");
    expect(executed).toMatchObject({
      kind: "close",
      ticket_id: ticket.id,
      confidence: 1,
      decided_by: null,
      evidence: {
        merge_sha: SHA,
        closed_by: { kind: "job", id: "analyze-project" },
        stage_before: "validation",
      },
    });
    expect((await decide(harness.now, project, executed!, "undo")).body.status).toBe("dismissed");
    expect(await stateOf(harness.now, ticket.id)).toEqual({ ...before, reopened: true });
    await analyze(harness.now);
    await analyzeAll(harness.now);
    await sweep();
    expect(await stateOf(harness.now, ticket.id)).toEqual({ ...before, reopened: true });
    expect((await decide(harness.now, project, executed!, "undo")).body.code).toBe("invalid_transition");
  });

  test("is left to the hourly sweep where no deploy was ever reported, whose closing is shown and undone alike", async () => {
    const { project, ticket } = await makeFinished();
    const before = await stateOf(harness.now, ticket.id);
    await analyze(harness.now);
    await analyzeAll(harness.now);
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
    expect(await list(harness.now, project, "status=all")).toEqual([]);
    await sweep();
    await analyze(harness.now);
    await analyze(harness.now);
    const executed = await list(harness.now, project, "status=all");
    expect(executed).toMatchObject([{
      status: "executed",
      evidence: { closed_by: { id: "sweep-merged-tickets" } },
    }]);
    await decide(harness.now, project, executed[0]!, "undo");
    expect(await stateOf(harness.now, ticket.id)).toEqual({ ...before, reopened: true });
  });

  test("that its deploy closed is shown too; undone, it stays open when the deploy is reported again", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/loud"] });
    const ticket = await makeTicket(harness.now, project);
    await patch(project, ticket, { stage: "validation", merge_sha: SHA });
    const before = await stateOf(harness.now, ticket.id);
    await sendDeploy(harness.now, { repo: "acme/loud", sha: SHA });
    const { deployed_at } = await stateOf(harness.now, ticket.id);
    await analyze(harness.now);
    const [executed] = await list(harness.now, project, "status=executed");
    expect(executed).toMatchObject({
      rationale: expect.stringContaining("is deployed"),
      evidence: { merge_sha: SHA, closed_by: { kind: "webhook", id: "deploy" }, stage_before: "validation" },
    });
    await decide(harness.now, project, executed!, "undo");
    expect((await sendDeploy(harness.now, { repo: "acme/loud", sha: SHA })).body.closed).toBe(0);
    await analyzeAll(harness.now);
    await sweep();
    expect(await stateOf(harness.now, ticket.id)).toEqual({
      ...before,
      deployed_at,
      ship_state: "deployed",
      reopened: true,
    });
    expect(await list(harness.now, project, "status=pending")).toEqual([]);
  });

  test("that its deploy has just closed is shown by an analysis that is asked for", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/quick"] });
    const ticket = await makeTicket(harness.now, project);
    await patch(project, ticket, { merge_sha: SHA });
    await sendDeploy(harness.now, { repo: "acme/quick", sha: SHA });
    await post(project, `${project.path}/ai-suggestions/analysis`, {});
    await harness.now.numbered();
    await harness.now.work("analyze-project");
    const executed = { kind: "close", status: "executed", ticket_id: ticket.id };
    expect(await list(harness.now, project, "status=all")).toMatchObject([executed]);
    await analyze(harness.now);
    expect(await list(harness.now, project, "status=all")).toMatchObject([executed]);
  });

  test.each(["before", "after"])(
    "is shown once and as it was, looked at %s another merge comes in for it",
    async (when) => {
      const repo = `acme/${when}`;
      const project = await makeProject(harness.now, { repositories: [repo] });
      const ticket = await makeTicket(harness.now, project);
      await patch(project, ticket, { merge_sha: SHA });
      await sendDeploy(harness.now, { repo, sha: SHA });
      if (when === "before") await analyze(harness.now);
      const { body: closed } = await patch(project, ticket, {});
      await patch(project, ticket, { merge_sha: "4a".repeat(20) });
      await analyze(harness.now);
      expect(await list(harness.now, project, "status=all")).toMatchObject([{
        status: "executed",
        rationale: expect.stringMatching(/^Its commit 3f3f3f3f3f3f is deployed/),
        evidence: { merge_sha: SHA, deployed_at: closed.deployed_at, closed_at: closed.closed_at },
      }]);
    },
  );

  test("is shown though its project is archived, where nothing else is suggested for it any more", async () => {
    const repo = "acme/archived";
    const project = await makeProject(harness.now, { repositories: [repo] });
    const finished = await makeTicket(harness.now, project);
    const unfinished = await makeTicket(harness.now, project, { roles: ["qa"] });
    for (const ticket of [finished, unfinished]) {
      await patch(project, ticket, { stage: "in_progress", merge_sha: SHA });
      await leaveAlone(harness.now, ticket.id, 30);
    }
    await analyzeAll(harness.now);
    await patch(project, { path: project.path }, { archived: true });
    expect((await sendDeploy(harness.now, { repo, sha: SHA })).body).toMatchObject({ stamped: 2, closed: 1 });
    await analyze(harness.now);
    const suggested = await list(harness.now, project, "status=all");
    expect(suggested.map(({ kind, status, ticket_id }) => [kind, status, ticket_id])).toEqual([
      ["close", "executed", finished.id],
      ["stale", "pending", unfinished.id],
      ["stale", "expired", finished.id],
    ]);
  });

  test("stays open while its role is unfinished or a case waits", async () => {
    const { project, ticket } = await makeFinished({ deployed: true });
    const { body: made } = await post(project, `${ticket.path}/test-cases`, {
      title: "Try it",
      instruction: "Open it.",
    });
    const unfinished = await makeTicket(harness.now, project, { roles: ["qa"] });
    await patch(project, unfinished, { merge_sha: SHA });
    await analyze(harness.now);
    expect(await list(harness.now, project, "status=all")).toEqual([]);
    await post(project, `${ticket.path}/test-cases/${made.id}/approve`);
    await analyze(harness.now);
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({ status: "closed" });
    expect(await stateOf(harness.now, unfinished.id)).toMatchObject({ status: "open" });
  });

  test("waits for its deploy without a suggestion to close it, though its tasks are through", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/awaited"] });
    const ticket = await makeTicket(harness.now, project);
    await makeDoneTask(harness.now, project, ticket);
    await patch(project, ticket, { merge_sha: SHA });
    await harness.now.sql`insert into deploy_reports (repo) values ('acme/awaited')`;
    await analyze(harness.now);
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({ status: "open" });
    expect(await list(harness.now, project, "status=all")).toEqual([]);
  });

  test("closed by a person is no suggestion", async () => {
    const { project, ticket } = await makeFinished();
    await patch(project, ticket, { status: "closed" });
    await analyze(harness.now);
    expect(await list(harness.now, project, "status=all")).toEqual([]);
  });
});

describe("a ticket whose tasks are through without a merge", () => {
  test("is suggested to be closed, not closed, and the suggestion goes when a task is added", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    const { body: task } = await post(project, `${ticket.path}/tasks`, {
      title: "Only one",
      role: "backend",
    });
    await analyze(harness.now);
    expect(await list(harness.now, project)).toEqual([]);
    for (const status of ["in_progress", "done"]) {
      const path = `${ticket.path}/tasks/${task.id}`;
      await harness.now.call("PATCH", path, { token: project.admin.token, body: { status } });
    }
    const { body: one } = await post(project, `${ticket.path}/test-cases`, {
      title: "Only case",
      instruction: "Look at it.",
    });
    await analyze(harness.now);
    expect(await list(harness.now, project), "its case waits").toEqual([]);
    await post(project, `${ticket.path}/test-cases/${one.id}/approve`);
    await analyze(harness.now);
    const [suggestion] = await list(harness.now, project);
    expect(suggestion).toMatchObject({
      kind: "close",
      title: `Close ${ticket.ref} as completed`,
      confidence: 0.8,
    });
    expect(suggestion!.rationale).toBe(
      `${ticket.ref} has finished 1 task and 1 human test case, and nothing else is left to do.`,
    );
    await decide(harness.now, project, suggestion!, "accept");
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({ resolution_type: "completed" });
    await decide(harness.now, project, suggestion!, "undo");
    await post(project, `${ticket.path}/tasks`, { title: "One more", role: "backend" });
    const early = await decide(harness.now, project, suggestion!, "accept");
    expect([early.status, early.body.error]).toEqual([
      409,
      `Cannot close ticket ${ticket.ref}: 1 task came up since this was suggested`,
    ]);
    await analyze(harness.now);
    expect(await list(harness.now, project)).toEqual([]);
  });

  test("is not suggested to be closed again after a no because its tasks stand in another order", async () => {
    const { project, ticket, task } = await makeThrough();
    const { body: other } = await post(project, `${ticket.path}/tasks`, { title: "Spared", role: "backend" });
    await patch(project, { path: `${ticket.path}/tasks/${other.id}` }, { status: "skipped" });
    await analyze(harness.now);
    const [suggestion] = await list(harness.now, project);
    await decide(harness.now, project, suggestion!, "dismiss");
    const { status } = await post(project, `${ticket.path}/tasks/reorder`, { task_ids: [other.id, task.id] });
    expect(status).toBe(200);
    await analyze(harness.now);
    expect(await list(harness.now, project)).toEqual([]);
  });

  test("is shown with its tasks as they are called now", async () => {
    const { project, task } = await makeThrough();
    await analyze(harness.now);
    await patch(project, task, { title: "Called otherwise" });
    await analyze(harness.now);
    const [suggestion] = await list(harness.now, project);
    expect(suggestion!.evidence.tasks).toMatchObject([{ title: "Called otherwise" }]);
  });

  test("and was merged before the analyzer saw it waits for its deploy: accepting is a conflict", async () => {
    const { project, ticket } = await makeThrough();
    await analyze(harness.now);
    const [suggestion] = await list(harness.now, project);
    await patch(project, ticket, { merge_sha: SHA });
    const refused = await decide(harness.now, project, suggestion!, "accept");
    expect([refused.status, refused.body.error]).toEqual([
      409,
      `Cannot close ticket ${ticket.ref}: it was merged since this was suggested`,
    ]);
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({ status: "open" });
  });
});

describe("a ticket that nobody touches", () => {
  test("for two weeks while in progress is suggested for the backlog; undo brings it back to its stage", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    await patch(project, ticket, { stage: "in_progress" });
    await leaveAlone(harness.now, ticket.id, 13);
    await analyzeAll(harness.now);
    expect(await list(harness.now, project)).toEqual([]);
    await leaveAlone(harness.now, ticket.id, 15);
    await analyzeAll(harness.now);
    const [stale] = await list(harness.now, project);
    expect(stale).toMatchObject({
      kind: "stale",
      title: `Move ${ticket.ref} back to the backlog`,
      confidence: 0.75,
      evidence: { stage: "in_progress", days: 28, allowed_days: 14, proposal: "move_to_backlog" },
    });
    const before = await stateOf(harness.now, ticket.id);
    await decide(harness.now, project, stale!, "accept");
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({ stage: "backlog", status: "open" });
    await decide(harness.now, project, stale!, "undo");
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
  });

  test.each([["in_progress", 28], ["backlog", 200]])(
    "in %s is as stale as before once what was accepted is undone, unless somebody touches it",
    async (stage, days) => {
      const project = await makeProject(harness.now);
      const ticket = await makeTicket(harness.now, project);
      await patch(project, ticket, { stage });
      await leaveAlone(harness.now, ticket.id, days);
      await analyzeAll(harness.now);
      const [stale] = await list(harness.now, project);
      const say = async (verb: "accept" | "undo") =>
        (await decide(harness.now, project, stale!, verb)).body.status ?? "refused";
      expect([await say("accept"), await say("undo"), await say("accept"), await say("undo")])
        .toEqual(["accepted", "pending", "accepted", "pending"]);
      await patch(project, ticket, { priority: "high" });
      expect(await say("accept")).toBe("refused");
    },
  );

  test("and was touched before what was accepted is undone is stale no longer", async () => {
    const { project, ticket, stale } = await makeMoved();
    await patch(project, ticket, { priority: "high" });
    expect((await decide(harness.now, project, stale, "undo")).status).toBe(200);
    expect((await decide(harness.now, project, stale, "accept")).status).toBe(409);
  });

  test("and whose task is being claimed when what was accepted is undone is stale no longer", async () => {
    const { project, task, stale } = await makeMoved();
    const worker = await makeMember(harness.now, project, "member");
    const answers = await behindLock(
      harness.now,
      (tx) => tx`select from users where id = ${worker.id}::uuid for update`,
      () => harness.now.call("POST", `${task.path}/claim`, { token: worker.token, body: {} }),
      () => decide(harness.now, project, stale, "undo"),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await decide(harness.now, project, stale, "accept")).status).toBe(409);
  });

  test.each([["backlog", 180], ["up_next", 60], ["in_progress", 14], ["validation", 14]])(
    "is stale in %s from %i days on, and not a day before",
    async (stage, days) => {
      const project = await makeProject(harness.now);
      const [left, younger] = [
        await makeTicket(harness.now, project),
        await makeTicket(harness.now, project),
      ];
      for (const ticket of [left, younger]) await patch(project, ticket, { stage });
      await leaveAlone(harness.now, left.id, days);
      await leaveAlone(harness.now, younger.id, days - 1);
      await analyzeAll(harness.now);
      expect((await list(harness.now, project)).map(({ ticket_id }) => ticket_id)).toEqual([left.id]);
    },
  );

  test("is never stale while a question on it is pending, and is again once that has ended", async () => {
    const project = await makeProject(harness.now);
    const [waiting, other] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
    const { body: question } = await post(project, `${waiting.path}/questions`, { prompt: "Which way?" });
    for (const { id } of [waiting, other]) await leaveAlone(harness.now, id, 200);
    await analyzeAll(harness.now);
    const found = async () => (await list(harness.now, project)).map(({ ticket_id }) => ticket_id).toSorted();
    expect(await found()).toEqual([other.id]);
    await post(project, `${waiting.path}/questions/${question.id}/withdraw`);
    await leaveAlone(harness.now, waiting.id, 200);
    await analyzeAll(harness.now);
    expect(await found()).toEqual([waiting.id, other.id].toSorted());
  });

  test("and was closed after a no is suggested nothing any more: the no stays", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project);
    await leaveAlone(harness.now, ticket.id, 200);
    await analyzeAll(harness.now);
    const [stale] = await list(harness.now, project);
    await decide(harness.now, project, stale!, "dismiss");
    await patch(project, ticket, { status: "closed" });
    expect((await decide(harness.now, project, stale!, "undo")).body.code).toBe("conflict");
    expect(await list(harness.now, project, "status=dismissed")).toHaveLength(1);
  });

  test("and was moved to the backlog stays there once others have moved it away and back", async () => {
    const { project, ticket, stale } = await makeMoved();
    await patch(project, ticket, { stage: "validation" });
    await patch(project, ticket, { stage: "backlog" });
    const late = await decide(harness.now, project, stale, "undo");
    expect([late.status, late.body.error]).toEqual([
      409,
      `Cannot undo: ticket ${ticket.ref} has changed since`,
    ]);
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({ stage: "backlog" });
  });

  test("is closed past unfinished roles by who says so, and undo brings them back as they were", async () => {
    const project = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, project, { roles: ["backend", "qa", "design"] });
    for (const change of ["backend/start", "design/skip"]) {
      await post(project, `${ticket.path}/roles/${change}`);
    }
    await leaveAlone(harness.now, ticket.id, 200);
    await analyzeAll(harness.now);
    const [stale] = await list(harness.now, project);
    const before = await stateOf(harness.now, ticket.id);
    const accept = `${project.path}/ai-suggestions/${stale!.id}/accept`;
    expect(await post(project, accept)).toMatchObject({ status: 409, body: { code: "roles_incomplete" } });
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
    expect((await post(project, accept, { skip_pending_roles: true })).status).toBe(200);
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({
      status: "closed",
      roles: Array(3).fill({ status: "skipped" }),
    });
    await decide(harness.now, project, stale!, "undo");
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
  });

  /** The ticket is suggested to be closed, and it has a task that somebody may claim. */
  async function makeClaimable() {
    const project = await makeProject(harness.now);
    const worker = await makeMember(harness.now, project, "member");
    const ticket = await makeTicket(harness.now, project);
    const { body: task } = await post(project, `${ticket.path}/tasks`, { title: "A task", role: "qa" });
    await leaveAlone(harness.now, ticket.id, 200);
    await analyzeAll(harness.now);
    const [stale] = await list(harness.now, project);
    const path = `${ticket.path}/tasks/${task.id}/claim`;
    const claim = () => harness.now.call("POST", path, { token: worker.token, body: {} });
    const accept = () => decide(harness.now, project, stale!, "accept");
    return { worker, ticket, stale: stale!, claim, accept };
  }

  test("is not closed under the hands of who is claiming its task", async () => {
    const { worker, claim, accept } = await makeClaimable();
    const [claimed, accepted] = await behindLock(
      harness.now,
      (tx) => tx`select from users where id = ${worker.id}::uuid for update`,
      claim,
      accept,
    );
    expect([claimed!.status, accepted!.status]).toEqual([200, 409]);
  });

  test("and is being closed gives its task to nobody who waits for that", async () => {
    const { ticket, stale, claim, accept } = await makeClaimable();
    const [accepted, claimed] = await behindLock(
      harness.now,
      (tx) => tx`select from suggestions where id = ${stale.id}::uuid for update`,
      accept,
      claim,
    );
    expect([accepted!.status, claimed!.status, claimed!.body.code]).toEqual([200, 409, "conflict"]);
    expect((await stateOf(harness.now, ticket.id)).tasks).toMatchObject([{ status: "pending" }]);
  });

  test("for half a year in the backlog is suggested to be closed; a change withdraws that", async () => {
    const project = await makeProject(harness.now);
    const [left, revived] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
    for (const { id } of [left, revived]) await leaveAlone(harness.now, id, 200);
    await analyzeAll(harness.now);
    const stale = await list(harness.now, project);
    expect(stale.map(({ ticket_id }) => ticket_id).toSorted()).toEqual([left.id, revived.id].toSorted());
    await patch(project, revived, { stage: "in_progress" });
    const early = await decide(
      harness.now,
      project,
      stale.find(({ ticket_id }) => ticket_id === revived.id)!,
      "accept",
    );
    expect([early.status, early.body.error]).toEqual([
      409,
      `Cannot close ticket ${revived.ref}: it stands in in_progress now`,
    ]);
    await patch(project, revived, { stage: "backlog" });
    const late = await decide(
      harness.now,
      project,
      stale.find(({ ticket_id }) => ticket_id === revived.id)!,
      "accept",
    );
    expect([late.status, late.body.error]).toEqual([
      409,
      `Cannot close ticket ${revived.ref}: it has changed since this was suggested`,
    ]);
    await analyze(harness.now);
    const [rest, ...others] = await list(harness.now, project);
    expect([rest?.ticket_id, others]).toEqual([left.id, []]);
    await decide(harness.now, project, rest!, "accept");
    expect(await stateOf(harness.now, left.id)).toMatchObject({ resolution_type: "no_longer_relevant" });
    for (const status of ["open", "closed"]) await patch(project, left, { status });
    expect((await decide(harness.now, project, rest!, "undo")).body.code, "closed anew").toBe("conflict");
    expect(await stateOf(harness.now, left.id)).toMatchObject({ status: "closed" });
  });
});
