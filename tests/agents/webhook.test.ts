import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { TransactionSql } from "../../db/open.ts";
import { signedAgentBody } from "../../lab/simulators/senders/agent.ts";
import { log } from "../../src/core/log.ts";
import { behindLock, besideLock } from "../behind_lock.ts";
import { makeMember, makeProject, makeTicket, makeUser, next, replayDelivery } from "../factories.ts";
import { useHarness } from "../harness.ts";
import {
  AGENT_SECRET,
  makeWork,
  newAgentId,
  readState,
  register,
  sendAgentEvent,
  type Work,
} from "./setup.ts";

const harness = useHarness({ env: { CLOUD_AGENT_WEBHOOK_SECRET: AGENT_SECRET } });
const timestamp = "2026-11-20T10:00:00.000Z";
const prUrl = "https://github.com/Acme/Handoff/pull/17";

describe("a cloud agent's event", () => {
  test("FINISHED finishes the run, links its pull request, brings the ticket to validation and frees its tasks", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    expect((await register(harness.now, project, work)).status).toBe(201);
    const event = { id: work.agentId, status: "FINISHED", timestamp, prUrl, summary: "Uploads resume" };
    const { status, body } = await sendAgentEvent(harness.now, event);
    expect([status, body]).toEqual([200, { ok: true }]);
    const state = await readState(harness.now, work);
    expect(state.tickets).toEqual([{ stage: "validation", status: "open" }]);
    expect(state.runs).toMatchObject([{
      status: "finished",
      summary: "Uploads resume",
      event_at: timestamp,
    }]);
    expect(state.links).toEqual([{ repo: "acme/handoff", number: 17, state: "open" }]);
    expect(state.tasks).toMatchObject([
      // The sender's clock was behind. A run that ends before its beginning took no time.
      { status: "done", took: "00:00:00", leased: false },
      { status: "pending", assigned: false, leased: false },
      { status: "pending" },
      { status: "in_progress", persons: true },
    ]);
  });

  test("FINISHED leaves done what has no criteria", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    const path = `${work.ticket.path}/tasks/${work.tasks[1]}`;
    const body = { acceptance_criteria: [] };
    await harness.now.call("PATCH", path, { token: project.admin.token, body });
    await register(harness.now, project, work);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
    const { tasks } = await readState(harness.now, work);
    expect(tasks.map(({ status }) => status)).toEqual(["done", "done", "pending", "in_progress"]);
  });

  test("ERROR fails the run and blocks its tasks with the summary as the reason", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    await sendAgentEvent(harness.now, {
      id: work.agentId,
      status: "ERROR",
      timestamp,
      summary: "No disk space",
    });
    const state = await readState(harness.now, work);
    expect(state.tickets).toEqual([{ stage: "in_progress", status: "open" }]);
    expect(state.runs).toMatchObject([{ status: "failed", summary: "No disk space" }]);
    expect(state.tasks).toMatchObject([
      { status: "blocked", blocking_reason: "No disk space", leased: false },
      { status: "blocked", blocking_reason: "No disk space", leased: false },
      { status: "pending", blocking_reason: null },
      { status: "in_progress", persons: true },
    ]);
  });

  test.each(["EXPIRED", "CANCELLED"])("%s ends the run and gives its tasks back", async (status) => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    const { body: { id } } = await register(harness.now, project, work);
    await sendAgentEvent(harness.now, { id: work.agentId, status, timestamp, summary: "Out of credit" });
    const state = await readState(harness.now, work);
    expect(state.tickets).toEqual([{ stage: "in_progress", status: "open" }]);
    expect(state.runs).toMatchObject([{ status: "ended", summary: "Out of credit" }]);
    expect(state.tasks).toMatchObject([
      { status: "pending", assigned: false, leased: false },
      { status: "pending", assigned: false, leased: false },
      { status: "pending", blocking_reason: null },
      { status: "in_progress", persons: true },
    ]);
    const { token } = project.admin;
    const run = await harness.now.call("GET", `${work.ticket.path}/agent-runs/${id}`, { token });
    expect(run.body.status).toBe("ended");
    const waiting = await harness.now.call("GET", "/waiting?kind=agent_run", { token });
    expect(waiting.body.total).toBe(0);
  });

  test("counts for tasks that were named at the registration, no matter who claimed them", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    const { body } = await harness.now.call("POST", `${work.ticket.path}/agent-runs`, {
      token: project.admin.token,
      body: { agent_id: work.agentId, task_ids: [work.tasks[3]] },
    });
    expect(body).toMatchObject({ agent_id: work.agentId, status: "running", task_ids: [work.tasks[3]] });
    await sendAgentEvent(harness.now, { id: work.agentId, status: "ERROR", timestamp });
    const { tasks } = await readState(harness.now, work);
    expect(tasks[3]).toMatchObject({
      status: "blocked",
      blocking_reason: "The agent failed and gave no reason",
    });
  });

  test("blocks its tasks with no more of a long summary than a reason may have", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    const summary = "Why? ".repeat(500);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "ERROR", timestamp, summary });
    expect((await readState(harness.now, work)).tasks[0]!.blocking_reason).toBe(summary.slice(0, 2000));
  });

  test("from a clock that is ahead finishes its tasks now, as a new version, with the minutes that were entered", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    const task = (method: string, body?: object) =>
      harness.now.call(method, `${work.ticket.path}/tasks/${work.tasks[0]}`, {
        token: project.admin.token,
        ...(body && { body }),
      });
    const { body: before } = await task("PATCH", { actual_minutes: 7 });
    const ahead = new Date(Date.now() + 3_600_000).toISOString();
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp: ahead });
    const { body: after } = await task("GET");
    expect(after).toMatchObject({ status: "done", actual_minutes: 7, version: before.version + 1 });
    expect(Date.parse(after.completed_at)).toBeLessThanOrEqual(Date.now());
  });

  test("finishes no task before its beginning, be that later than the event came in", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    const path = `${work.ticket.path}/tasks/${work.tasks[2]}`;
    const token = project.admin.token;
    const ahead = new Date(Date.now() + 3_600_000).toISOString();
    await besideLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${work.ticket.id}::uuid for update`,
      {
        waits: () => sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp: ahead }),
        passes: () =>
          harness.now.call("POST", `${path}/claim`, { token, body: { session_id: work.agentId } }),
      },
    );
    const { body } = await harness.now.call("GET", path, { token });
    expect(body.status).toBe("done");
    expect(Date.parse(body.completed_at)).toBeGreaterThanOrEqual(Date.parse(body.started_at));
  });

  test("is written to history under the sender's name", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp, prUrl });
    const rows = await harness.now.sql`
      select distinct entity, action from history_entries
      where ticket_id = ${work.ticket.id}::uuid and actor ->> 'kind' = 'webhook' and actor ->> 'id' = 'cloud_agent'
      order by 1, 2`;
    expect(rows.map(({ entity, action }) => `${entity} ${action}`)).toEqual([
      "agent_run changed",
      "pull_request created",
      "task changed",
      "ticket changed",
    ]);
  });

  test.each([
    ["another account's", "foreign_repository", "https://github.com/{repo}"],
    ["another account's", "foreign_repository", "https://github.com/{repo}/tree/main"],
    ["another account's", "foreign_repository", "git@github.com:{repo}.git"],
    ["another account's", "foreign_repository", "github.com/{repo}"],
    ["another account's", "foreign_repository", "{repo}"],
    ["the account's own, and another's", null, "https://github.com/{repo}.git"],
    ["nobody's", null, "https://github.com/{repo}"],
  ])("of a run in a repository that is %s is ignored as %s: %s", async (whose, reason, form) => {
    const repo = `Acme/agents-${next()}`;
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    if (whose !== "nobody's") await makeProject(harness.now, { repositories: [repo] });
    if (whose.startsWith("the account's")) {
      await makeProject(harness.now, { admin: project.admin, repositories: [repo.toUpperCase()] });
    }
    await register(harness.now, project, work);
    const event = { id: work.agentId, status: "FINISHED", timestamp, summary: "Not for strangers" };
    await sendAgentEvent(harness.now, { ...event, repository: form.replace("{repo}", repo) });
    const { body } = await harness.now.call("GET", `${work.ticket.path}/agent-runs`, {
      token: project.admin.token,
    });
    expect(body.agent_runs).toMatchObject([{ summary: reason ? null : "Not for strangers" }]);
    const [delivery] = await harness.now
      .sql`select outcome, reason from inbound_deliveries where subject = ${work.agentId}`;
    expect(delivery).toEqual({ outcome: reason ? "ignored" : "applied", reason });
  });

  test("of a repository with an address as long as a body may be is heard like any other", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    const event = { id: work.agentId, status: "FINISHED", timestamp, repository: "a.".repeat(500_000) };
    expect((await sendAgentEvent(harness.now, event)).body).toEqual({ ok: true });
    expect((await readState(harness.now, work)).runs).toMatchObject([{ status: "finished" }]);
  });

  test("that came before its agent was registered counts from then on", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "ERROR", timestamp, summary: "Too early" });
    await sendAgentEvent(harness.now, {
      id: work.agentId,
      status: "FINISHED",
      timestamp: "2026-11-20T10:05:00Z",
      prUrl,
    });
    const { body } = await register(harness.now, project, work);
    expect(body).toMatchObject({ status: "finished", pull_request_url: prUrl });
    expect((await readState(harness.now, work)).tickets).toMatchObject([{ stage: "validation" }]);
    const rows = await harness.now.sql`
      select outcome, reason, attempts from inbound_deliveries where subject = ${work.agentId} order by received_at, id`;
    expect(rows).toEqual([
      { outcome: "applied", reason: null, attempts: 2 },
      { outcome: "applied", reason: null, attempts: 2 },
    ]);
    const [author] = await harness.now.sql`
      select actor ->> 'kind' as kind from history_entries
      where ticket_id = ${work.ticket.id}::uuid and entity = 'ticket' and field = 'stage' order by id desc limit 1`;
    expect(author).toEqual({ kind: "webhook" });
  });

  test("that finishes what was begun long ago counts no more minutes than may be entered", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    await harness.now.sql`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      update tasks set started_at = '2020-01-01' from author where id = ${work.tasks[0]}::uuid`;
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
    const path = `${work.ticket.path}/tasks/${work.tasks[0]}`;
    const { body } = await harness.now.call("GET", path, { token: project.admin.token });
    expect(body).toMatchObject({ status: "done", actual_minutes: 1_000_000 });
  });

  test("finishes a task that an earlier event blocked, though somebody edited it or moved it up in between", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "ERROR", timestamp });
    const token = project.admin.token;
    const path = `${work.ticket.path}/tasks`;
    const acceptance_criteria = [{ text: "It works", done: true }];
    await harness.now.call("PATCH", `${path}/${work.tasks[1]}`, { token, body: { acceptance_criteria } });
    const task_ids = work.tasks.toReversed();
    await harness.now.call("POST", `${path}/reorder`, { token, body: { task_ids } });
    await sendAgentEvent(harness.now, {
      id: work.agentId,
      status: "FINISHED",
      timestamp: "2026-11-20T11:00:00Z",
    });
    const { tasks } = await readState(harness.now, work);
    expect(tasks.map(({ status }) => status)).toEqual(["in_progress", "pending", "done", "done"]);
  });

  test.each([["FINISHED", "FINISHED"], ["FINISHED", "ERROR"], ["ERROR", "FINISHED"]])(
    "leaves the minutes that somebody entered between %s and %s",
    async (first, second) => {
      const project = await makeProject(harness.now);
      const work = await makeWork(harness.now, project);
      await register(harness.now, project, work);
      const token = project.admin.token;
      const path = `${work.ticket.path}/tasks/${work.tasks[0]}`;
      await sendAgentEvent(harness.now, { id: work.agentId, status: first, timestamp });
      await harness.now.call("PATCH", path, { token, body: { actual_minutes: 30 } });
      for (const later of ["2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z"]) {
        await sendAgentEvent(harness.now, { id: work.agentId, status: second, timestamp: later });
        const { body } = await harness.now.call("GET", path, { token });
        expect(body).toMatchObject({
          status: second === "FINISHED" ? "done" : "blocked",
          actual_minutes: 30,
        });
      }
    },
  );

  test.each([1, 0])(
    "never touches what someone did since, whether its tasks were named (%i) or not",
    async (named) => {
      const project = await makeProject(harness.now);
      const work = await makeWork(harness.now, project);
      await harness.now.call("POST", `${work.ticket.path}/agent-runs`, {
        token: project.admin.token,
        body: { agent_id: work.agentId, task_ids: named ? work.tasks.slice(0, 2) : [] },
      });
      await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
      const token = project.admin.token;
      await harness.now.call("POST", `${work.ticket.path}/tasks/${work.tasks[1]}/claim`, {
        token,
        body: { session_id: "me" },
      });
      await sendAgentEvent(harness.now, {
        id: work.agentId,
        status: "ERROR",
        timestamp: "2026-11-20T11:00:00Z",
      });
      const { tasks } = await readState(harness.now, work);
      expect(tasks[0]).toMatchObject({ status: "blocked" });
      expect(tasks[1]).toMatchObject({ status: "in_progress" });
    },
  );

  test("leaves a task that it had given back as it is, with the minutes that somebody entered since", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    const token = project.admin.token;
    const path = `${work.ticket.path}/tasks/${work.tasks[1]}`;
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
    const { body: before } = await harness.now.call("PATCH", path, { token, body: { actual_minutes: 30 } });
    for (const timestamp of ["2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z"]) {
      await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
      expect((await harness.now.call("GET", path, { token })).body).toEqual(before);
    }
    const last = { id: work.agentId, status: "ERROR", timestamp: "2026-11-20T13:00:00Z" };
    await sendAgentEvent(harness.now, last);
    const { body } = await harness.now.call("GET", path, { token });
    expect(body).toMatchObject({ status: "blocked", actual_minutes: 30 });
  });

  test.each(["did anew", "blocked for another reason", "gave to another"])(
    "leaves a task alone that somebody %s since",
    async (what) => {
      const project = await makeProject(harness.now);
      const work = await makeWork(harness.now, project);
      await register(harness.now, project, work);
      const [first, second] = what === "did anew" ? ["FINISHED", "ERROR"] : ["ERROR", "FINISHED"];
      await sendAgentEvent(harness.now, { id: work.agentId, status: first!, timestamp });
      const { token, id } = project.admin;
      const changes = {
        "did anew": [{ status: "pending" }, { status: "in_progress", assignee_user_id: id }, {
          status: "done",
        }],
        "blocked for another reason": [{ blocking_reason: "Waits for a person" }],
        "gave to another": [{ assignee_user_id: (await makeMember(harness.now, project, "member")).id }],
      }[what]!;
      for (const body of changes) {
        const path = `${work.ticket.path}/tasks/${work.tasks[0]}`;
        expect((await harness.now.call("PATCH", path, { token, body })).status).toBe(200);
      }
      const [before] = (await readState(harness.now, work)).tasks;
      const later = { id: work.agentId, status: second!, timestamp: "2026-11-20T11:00:00Z" };
      await sendAgentEvent(harness.now, later);
      expect((await readState(harness.now, work)).tasks[0]).toEqual(before);
    },
  );

  test("leaves a task alone that changes hands while it waits for it", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    const takeOver = (tx: TransactionSql) =>
      tx`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      update tasks set assignee_session_id = 'another' from author where id = ${work.tasks[0]}::uuid`;
    const error = { id: work.agentId, status: "ERROR", timestamp };
    await behindLock(harness.now, takeOver, () => sendAgentEvent(harness.now, error));
    const { tasks } = await readState(harness.now, work);
    expect(tasks).toMatchObject([{ status: "in_progress" }, { status: "blocked" }, {}, {}]);
  });

  test.each(["another run", "a person"])("never takes back what %s moved since", async (who) => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    const other = { ...work, agentId: newAgentId() };
    for (const run of [work, other]) await register(harness.now, project, run);
    const finish = ({ agentId }: Work) =>
      sendAgentEvent(harness.now, { id: agentId, status: "FINISHED", timestamp });
    const move = (stage: string) =>
      harness.now.call("PATCH", work.ticket.path, { token: project.admin.token, body: { stage } });
    const fail = (timestamp: string) =>
      sendAgentEvent(harness.now, { id: work.agentId, status: "ERROR", timestamp });
    await finish(work);
    await move("in_progress");
    await (who === "a person" ? move("validation") : finish(other));
    await fail("2026-11-20T11:00:00Z");
    const state = await readState(harness.now, work);
    expect(state.tickets).toEqual([{ stage: "validation", status: "open" }]);
    expect(state.runs).toMatchObject([{ status: "failed" }, {}]);
  });

  test("takes its own move back, though the ticket was edited and finished once more since", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
    const token = project.admin.token;
    await harness.now.call("PATCH", work.ticket.path, { token, body: { title: "Another title" } });
    await sendAgentEvent(harness.now, {
      id: work.agentId,
      status: "FINISHED",
      timestamp: "2026-11-20T10:30:00Z",
    });
    const error = { id: work.agentId, status: "ERROR", timestamp: "2026-11-20T11:00:00Z" };
    await sendAgentEvent(harness.now, error);
    expect((await readState(harness.now, work)).tickets).toMatchObject([{ stage: "in_progress" }]);
  });

  test("leaves the tasks of a ticket as they are once somebody has closed it", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
    const move = (stage: string) =>
      harness.now.call("PATCH", work.ticket.path, { token: project.admin.token, body: { stage } });
    expect((await move("live")).status).toBe(200);
    const before = await readState(harness.now, work);
    expect(before.tickets).toEqual([{ stage: "live", status: "closed" }]);
    const error = { id: work.agentId, status: "ERROR", summary: "Too late" };
    await sendAgentEvent(harness.now, { ...error, timestamp: "2026-11-20T11:00:00Z" });
    const after = await readState(harness.now, work);
    expect(after.runs).toMatchObject([{ status: "failed", summary: "Too late" }]);
    expect([after.tickets, after.tasks]).toEqual([before.tickets, before.tasks]);
    await move("in_progress");
    await sendAgentEvent(harness.now, { ...error, timestamp: "2026-11-20T12:00:00Z" });
    expect((await readState(harness.now, work)).tasks[0]).toMatchObject({ status: "blocked" });
  });

  test("ends what is in progress of a ticket that was closed before it", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    await harness.now.call("PATCH", work.ticket.path, {
      token: project.admin.token,
      body: { stage: "live" },
    });
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
    const { tickets, tasks } = await readState(harness.now, work);
    expect(tickets).toEqual([{ stage: "live", status: "closed" }]);
    expect(tasks).toMatchObject([
      { status: "done", leased: false },
      { status: "pending", assigned: false, leased: false },
      { status: "pending" },
      { status: "in_progress", persons: true },
    ]);
  });

  test.each([
    ["what no address does", prUrl.replace("hub", "\0hub"), null],
    ["another scheme than the web's", `javascript:alert(1)//${prUrl}`, null],
    ["too long a number", `${prUrl}0000000000`, `${prUrl}0000000000`],
  ])(
    "whose pull request's address holds %s counts without it",
    async (_, prUrl, shown) => {
      const project = await makeProject(harness.now);
      const work = await makeWork(harness.now, project);
      await register(harness.now, project, work);
      const event = { id: work.agentId, status: "FINISHED", timestamp, prUrl };
      expect((await sendAgentEvent(harness.now, event)).status).toBe(200);
      const { runs, links } = await readState(harness.now, work);
      expect([runs, links]).toMatchObject([[{ status: "finished", pull_request_url: shown }], []]);
    },
  );

  test("without a time happened when it came", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    const send = async (event: { status: string; timestamp?: string; summary?: string }, name?: string) => {
      const { body } = await sendAgentEvent(harness.now, { id: work.agentId, ...event }, name);
      expect(body).toEqual({ ok: true });
      return (await readState(harness.now, work)).runs[0]!.status;
    };
    expect(await send({ status: "ERROR", timestamp })).toBe("failed");
    expect(await send({ status: "FINISHED" }, work.agentId)).toBe("finished");
    expect(await send({ status: "ERROR", timestamp, summary: "Late" })).toBe("finished");
    expect(await send({ status: "ERROR", summary: "It came last" })).toBe("failed");
    const replayed = await replayDelivery(harness.now, work.agentId);
    expect(replayed.body).toMatchObject({ outcome: "ignored", reason: "older_than_the_run" });
    expect((await readState(harness.now, work)).runs[0]!.status).toBe("failed");
  });

  test("an unknown status, event or agent is acknowledged and kept", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await register(harness.now, project, work);
    const before = await readState(harness.now, work);
    const send = (id: string, status: string, name: string) =>
      sendAgentEvent(harness.now, { id, status, timestamp }, name);
    expect((await send(work.agentId, "RUNNING", "msg_1")).body).toEqual({ ok: true });
    expect((await send(newAgentId(), "FINISHED", "msg_2")).status).toBe(200);
    expect(await readState(harness.now, work)).toEqual(before);
    const rows = await harness.now.sql`
      select delivery_id, reason from inbound_deliveries where reason is not null order by received_at desc limit 2`;
    expect(rows).toEqual([
      { delivery_id: "msg_2", reason: "unknown_agent" },
      { delivery_id: "msg_1", reason: "unknown_status" },
    ]);
  });

  test("a body that names no event is acknowledged and kept", async () => {
    for (const said of [{ id: newAgentId(), status: "FINISHED", timestamp }, {}]) {
      const body = new TextEncoder().encode(JSON.stringify(said));
      const sent = signedAgentBody(AGENT_SECRET, body);
      const answer = await harness.now.call("POST", sent.path, { headers: sent.headers, raw: body });
      expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    }
    const rows = await harness.now.sql`
      select event, outcome, reason from inbound_deliveries order by received_at desc limit 2`;
    const kept = { event: "unknown", outcome: "ignored", reason: "unknown_event" };
    expect(rows).toEqual([kept, kept]);
  });
});

describe("registering an agent run", () => {
  test("twice for one ticket answers the same run; for another ticket it is a conflict", async () => {
    const project = await makeProject(harness.now);
    const [one, other] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
    const options = { token: project.admin.token, body: { agent_id: newAgentId() } };
    const first = await harness.now.call("POST", `${one.path}/agent-runs`, options);
    const again = await harness.now.call("POST", `${one.path}/agent-runs`, options);
    expect([first.status, again.body]).toEqual([201, first.body]);
    expect(first.headers.get("location")).toBe(`/api${one.path}/agent-runs/${first.body.id}`);
    const elsewhere = await harness.now.call("POST", `${other.path}/agent-runs`, options);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, "conflict"]);
    const { token } = options;
    const listed = await harness.now.call("GET", `${one.path}/agent-runs`, { token });
    expect(listed.body).toEqual({ agent_runs: [first.body], next_cursor: null });
    const got = await harness.now.call("GET", `${one.path}/agent-runs/${first.body.id}`, { token });
    expect(got.body).toEqual(first.body);
    const misplaced = await harness.now.call("GET", `${other.path}/agent-runs/${first.body.id}`, { token });
    expect(misplaced.status).toBe(404);
  });

  test("again with other tasks adds them to the run", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    const agent_id = newAgentId();
    const register = (task_ids?: string[]) =>
      harness.now.call("POST", `${work.ticket.path}/agent-runs`, {
        token: project.admin.token,
        body: { agent_id, task_ids },
      });
    const [one, two] = work.tasks;
    const first = await register([one]);
    expect((await register([two, one])).body).toMatchObject({ id: first.body.id, task_ids: [one, two] });
    expect((await register()).body.task_ids).toEqual([one, two]);
    await sendAgentEvent(harness.now, { id: agent_id, status: "FINISHED", timestamp });
    expect((await register([one])).status).toBe(201);
    const late = await register([work.tasks[2]]);
    expect([late.status, late.body.error]).toEqual([409, expect.stringContaining("its run has ended")]);
  });

  test("twice at once needs no second try, even when an event comes in between", async () => {
    const warned = vi.spyOn(log, "warn");
    onTestFinished(() => void warned.mockRestore());
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp });
    const tell = async (reason: string) => {
      await harness.now.sql`update inbound_deliveries set reason = ${reason} where subject = ${work.agentId}`;
    };
    await tell("not_yet");
    const [first, second] = await behindLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${work.ticket.id}::uuid for update`,
      () => register(harness.now, project, work),
      async () => {
        await tell("unknown_agent");
        return await register(harness.now, project, work);
      },
    );
    expect([first!.status, second!.status]).toEqual([201, 201]);
    expect(warned.mock.calls).toEqual([]);
  });

  test("beside a replay of what came too early needs no second try", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    await sendAgentEvent(harness.now, { id: work.agentId, status: "FINISHED", timestamp }, work.agentId);
    const before = harness.now.statements.length;
    const [registered, replayed] = await behindLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${work.ticket.id}::uuid for update`,
      () => register(harness.now, project, work),
      () => replayDelivery(harness.now, work.agentId),
    );
    expect(registered!.body).toMatchObject({ status: "finished" });
    expect(replayed!.body).toMatchObject({ outcome: "applied", attempts: 3 });
    const locks = harness.now.statements.slice(before).filter((text) => text.includes("'agent '"));
    expect(locks, "the registration, its event, the replay").toHaveLength(3);
  });

  test("names tasks that are not the ticket's, and knows no foreign ticket", async () => {
    const project = await makeProject(harness.now);
    const work = await makeWork(harness.now, project);
    const ticket = await makeTicket(harness.now, project);
    const token = project.admin.token;
    const body = { agent_id: newAgentId(), task_ids: [work.tasks[0]] };
    const refused = await harness.now.call("POST", `${ticket.path}/agent-runs`, { token, body });
    expect(refused.status).toBe(400);
    expect(refused.body.fieldErrors).toEqual({
      "task_ids.0": `${work.tasks[0]} is not a task of this ticket`,
    });
    const stranger = await makeUser(harness.now, { role: "admin" });
    expect(
      (await harness.now.call("POST", `${ticket.path}/agent-runs`, { token: stranger.token, body })).status,
    ).toBe(403);
    const gone = `${project.path}/tickets/${crypto.randomUUID()}/agent-runs`;
    expect((await harness.now.call("POST", gone, { token, body })).status).toBe(404);
    expect((await harness.now.call("GET", gone, { token })).status).toBe(404);
  });
});
