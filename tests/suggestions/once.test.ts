import { expect, test } from "vitest";
import type { Db } from "../../db/open.ts";
import { systemContext } from "../../src/core/context.ts";
import { analyzeProject } from "../../src/analysis/analyze.ts";
import { behindLock, besideLock } from "../behind_lock.ts";
import { makeProject, makeTicket, type TestProject } from "../factories.ts";
import { type Harness, useHarness, useSecondHarness } from "../harness.ts";
import {
  analyze,
  analyzeAll,
  embedding,
  INVOICE,
  leaveAlone,
  list,
  makeDoneTask,
  UPLOAD,
  UPLOAD_AGAIN,
} from "./world.ts";

const harness = useHarness(embedding);
const second = useSecondHarness(harness, embedding);
const SHA = "5e".repeat(20);

function send(project: TestProject, method: string, path: string, body: Record<string, unknown>) {
  return harness.now.call(method, path, { token: project.admin.token, body });
}

/** Tickets of which each kind of suggestion is made, and one that the analyzer closes. */
async function makeEveryKind(project: TestProject): Promise<void> {
  for (let n = 0; n < 4; n++) {
    const past = await makeTicket(harness.now, project, { ...UPLOAD, roles: ["backend"] });
    await send(project, "POST", `${past.path}/roles/backend/skip`, {});
    await send(project, "PATCH", past.path, { status: "closed" });
  }
  await makeTicket(harness.now, project, UPLOAD);
  await makeTicket(harness.now, project, UPLOAD_AGAIN);
  const merged = await makeTicket(harness.now, project, {
    title: "Merged weeks ago",
    description: "Its commit went live before anybody entered it here.",
  });
  await harness.now.sql`
    insert into deploys (repo, sha, status) values ('acme/live', ${SHA}, 'success') on conflict do nothing`;
  await send(project, "PATCH", merged.path, { merge_sha: SHA });
  const mixed = await makeTicket(harness.now, project, {
    title: "Everything for spring",
    description: "Whatever spring brings along, collected by Ada yesterday.",
  });
  const subjects = ["Invoices table", "Invoices endpoint", "Invoices page", "Login lockout", "Login history"];
  for (const title of [...subjects, "Login throttling"]) {
    await send(project, "POST", `${mixed.path}/tasks`, { title, role: "backend" });
  }
  const through = await makeTicket(harness.now, project, {
    title: "Paint sidewalks yellow",
    description: "Pedestrians stumble at dusk without paint.",
  });
  await makeDoneTask(harness.now, project, through, { title: "Paint", role: "design" });
  const left = await makeTicket(harness.now, project, INVOICE);
  await leaveAlone(harness.now, left.id, 200);
}

function analyzeIn({ services }: Harness, project: TestProject): Promise<void> {
  const ctx = systemContext(services, { kind: "job", id: "analyze-project" }, crypto.randomUUID());
  return analyzeProject(ctx, { project_id: project.id, full: true });
}

test("two processes that analyze a project at once, and every later analysis, find each thing once", async () => {
  for (let round = 0; round < 2; round++) {
    const project = await makeProject(harness.now, { repositories: ["acme/live"] });
    await makeEveryKind(project);
    await Promise.all([harness.now, second.now].map((process) => analyzeIn(process, project)));
    // The other process may have found something about a ticket just before this process closed the
    // ticket.
    await analyzeAll(harness.now);
    const found = await list(harness.now, project, "status=all");
    const live = found.filter(({ status }) => status !== "expired");
    expect(live.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
      "close executed",
      "close pending",
      "duplicate pending",
      "role pending",
      "role pending",
      "split pending",
      "stale pending",
    ]);
    expect(new Set(live.map(({ kind, ticket_id }) => `${kind} ${ticket_id}`)).size).toBe(live.length);
    const closings = await harness.now.sql`
      select from history_entries h join tickets t on t.id = h.ticket_id and t.merge_sha = ${SHA}
      where h.project_id = ${project.id}::uuid and h.field = 'status' and h.to_value = '"closed"'`;
    expect(closings).toHaveLength(1);

    await analyzeAll(harness.now);
    await Promise.all([second.now, harness.now].map((process) => analyzeIn(process, project)));
    expect(await list(harness.now, project, "status=all")).toEqual(found);
  }
});

test("of two analyses at once the one that looked last is believed", async () => {
  const project = await makeProject(harness.now);
  const finished = await makeTicket(harness.now, project);
  await makeDoneTask(harness.now, project, finished);
  const long = await makeTicket(harness.now, project);
  for (let n = 0; n < 6; n++) {
    await send(project, "POST", `${long.path}/tasks`, { title: `Task ${n}`, role: "qa" });
  }
  await harness.now.run("collect-changes");

  const [reading, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const embedder = {
    ...embedding.embedder,
    async embed(text: string) {
      reading.resolve();
      await goOn.promise;
      return await embedding.embedder.embed(text);
    },
  };
  const slow = systemContext({ ...harness.now.services, embedder }, { kind: "job", id: "slow" }, "slow");
  const first = analyzeProject(slow, { project_id: project.id });
  await reading.promise;
  await send(project, "POST", `${finished.path}/tasks`, { title: "One more", role: "qa" });
  await analyze(harness.now);
  goOn.resolve();
  await first;
  const found = await list(harness.now, project, "status=all");
  expect(found.filter(({ ticket_id }) => ticket_id === finished.id)).toEqual([]);
});

test("what changes while an analysis waits to store is looked at by the next one", async () => {
  const project = await makeProject(harness.now);
  const ticket = await makeTicket(harness.now, project);
  const task = await makeDoneTask(harness.now, project, ticket);
  await harness.now.run("collect-changes");
  const ctx = systemContext(harness.now.services, { kind: "job", id: "analyze-project" }, "analysis");
  const reopenTask = async (tx: Db) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
    await tx`update tasks set status = 'pending', completed_at = null where id = ${task.id}::uuid`;
    await tx`
      update analysis_backlog b set seq = b.seq + 1
      where b.ticket_id = ${ticket.id}::uuid`;
  };
  await behindLock(harness.now, reopenTask, () => analyzeProject(ctx, { project_id: project.id }));
  await analyzeProject(ctx, { project_id: project.id });
  expect(await list(harness.now, project)).toEqual([]);
});

test("an analysis and a collection of changes mark the same tickets without ever waiting for each other", async () => {
  const project = await makeProject(harness.now);
  const ids = [(await makeTicket(harness.now, project)).id, (await makeTicket(harness.now, project)).id];
  const [first, last] = ids.toSorted();
  await harness.now.sql`update tickets set created_at = '2000-01-01' where id = ${last!}::uuid`;
  const mark = (db: Db, id: string) =>
    db`
    insert into analysis_backlog as b (project_id, ticket_id, seq) values (${project.id}::uuid, ${id}::uuid, 1)
    on conflict (project_id, ticket_id) do update set seq = b.seq`;

  await besideCollection(mark, first!, last!, () => analyzeIn(harness.now, project));
  const archived = await harness.now.call("DELETE", project.path, { token: project.admin.token });
  expect(archived.status).toBe(204);
  for (const id of [last!, first!]) await mark(harness.now.sql, id);
  await besideCollection(mark, first!, last!, () => analyzeIn(harness.now, project));
  expect(await harness.now.sql`select from analysis_backlog where project_id = ${project.id}::uuid`)
    .toHaveLength(0);
});

/** Marks one ticket. Marks the other ticket when the analysis waits for the first one. */
async function besideCollection(
  mark: (db: Db, id: string) => PromiseLike<unknown>,
  first: string,
  last: string,
  analyze: () => Promise<void>,
): Promise<void> {
  let collection: Db = harness.now.sql;
  await besideLock(harness.now, (tx) => Promise.resolve(mark(collection = tx, first)), {
    waits: analyze,
    passes: async () => void await mark(collection, last),
  });
}
