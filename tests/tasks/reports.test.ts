import { beforeAll, describe, expect, test } from "vitest";
import { makeKey, makeMember, type TestUser } from "../factories.ts";
import { useTasks } from "./_tasks.ts";

const { add, harness, newTicket, world } = useTasks();

type Key = { id: string; token: string };

let ada: TestUser;
let [one, two, bens]: Key[] = [];
beforeAll(async () => {
  ada = await makeMember(harness.now, world.project, "member");
  [one, two] = [await makeKey(harness.now, ada), await makeKey(harness.now, ada)];
  bens = await makeKey(harness.now, await makeMember(harness.now, world.project, "member"));
});

function act(id: string, action: string, { token }: { token: string }, body: Record<string, unknown> = {}) {
  return harness.now.call("POST", `${world.ticket.path}/tasks/${id}/${action}`, { token, body });
}

function report(id: string, { token }: { token: string }, body: Record<string, unknown>) {
  return harness.now.call("PATCH", `${world.ticket.path}/tasks/${id}`, { token, body });
}

async function comments() {
  const { body } = await harness.now.call("GET", `${world.ticket.path}/comments`, { token: ada.token });
  return body.comments;
}

/** Ends a lease, as if its time had passed. */
async function endLease(id: string): Promise<void> {
  await harness.now.sql`
    with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
    update tasks set lease_expires_at = now() - interval '1 second' from author where id = ${id}::uuid`;
  await harness.now.run("end-leases");
}

const REPORTS = [
  { status: "done" },
  { summary: "Half of it" },
  { status: "blocked", blocking_reason: "No bucket" },
  { acceptance_criteria: [{ text: "It works", done: true }] },
  { actual_minutes: 5 },
  { title: "Another" },
  { status: "pending" },
];

describe("a task that an agent holds", () => {
  test.each(REPORTS)("isn't changed by another agent: %j", async (body) => {
    const [id] = await newTicket("task");
    const { body: claimed } = await act(id!, "claim", one!, { session_id: "main" });
    const strangers = [[two!, "main"], [bens!, "main"], [one!, "other"], [one!, undefined]] as const;
    for (const [key, session_id] of strangers) {
      const { status, body: refused } = await report(id!, key, { ...body, session_id });
      expect([status, refused.code, refused.details]).toEqual([
        409,
        "already_claimed",
        { current: claimed, yours: false },
      ]);
    }
    const held = await report(id!, one!, { summary: "Mine", session_id: "main" });
    expect([held.status, held.body.summary]).toEqual([200, "Mine"]);
    expect(Date.parse(held.body.lease_expires_at)).toBeGreaterThanOrEqual(
      Date.parse(claimed.lease_expires_at),
    );
  });

  test("isn't deleted by another agent, and is changed by a person, with history", async () => {
    const [id] = await newTicket("task");
    await act(id!, "claim", one!);
    const path = `${world.ticket.path}/tasks/${id}`;
    expect((await harness.now.call("DELETE", path, bens!)).body.code).toBe("already_claimed");
    expect((await report(id!, ada, { summary: "As I see it" })).status).toBe(200);
    const { body } = await harness.now.call("GET", `${world.ticket.path}/history?limit=200`, {
      token: ada.token,
    });
    const row = body.history.find(({ field }: { field: string }) => field === "summary");
    expect(row.actor).toMatchObject({ kind: "user", id: ada.id });
    expect((await harness.now.call("DELETE", path, one!)).status).toBe(204);
  });

  test("stays its holder's when it is done, but may be reopened", async () => {
    const [id] = await newTicket("task");
    await act(id!, "claim", one!);
    await report(id!, one!, { status: "done", summary: "Done" });
    expect((await report(id!, bens!, { status: "done", summary: "No, mine" })).body.code).toBe(
      "already_claimed",
    );
    expect((await report(id!, bens!, { status: "pending" })).body).toMatchObject({ status: "pending" });
  });
});

test("the report of a former holder becomes a comment for its successor, once", async () => {
  const [id] = await newTicket("Upload");
  await act(id!, "claim", one!, { session_id: "gone" });
  await endLease(id!);
  await act(id!, "claim", bens!);
  const late = { status: "done", summary: "It streams now", session_id: "gone" };
  for (let time = 0; time < 2; time++) {
    const { status, body } = await report(id!, one!, late);
    expect([status, body.code]).toEqual([409, "already_claimed"]);
    expect(body.error).toMatch(/Your report is a comment on the ticket now$/);
    expect(await comments()).toMatchObject([{
      id: body.details.comment_id,
      body: expect.stringContaining("It streams now"),
    }]);
  }
  expect((await report(id!, two!, { summary: "Spam" })).body.details.comment_id).toBe(undefined);
  expect(await comments()).toHaveLength(1);
  const { body } = await harness.now.call("GET", `${world.ticket.path}/tasks/${id}`, bens!);
  expect(body).toMatchObject({ status: "in_progress", summary: null });
});

describe("a free task", () => {
  test("is claimed by the agent that starts it, as by a claim", async () => {
    const [id] = await newTicket("task");
    const started = await report(id!, one!, { status: "in_progress", session_id: "main" });
    expect(started.body).toMatchObject({
      status: "in_progress",
      assignee_user_id: ada.id,
      assignee_session_id: "main",
      lease_expires_at: expect.any(String),
    });
    expect((await act(id!, "heartbeat", one!, { session_id: "main" })).status).toBe(200);
    expect((await report(id!, bens!, { status: "in_progress" })).body.code).toBe("already_claimed");
  });

  test("that is another's by assignment, waits for others, or is of a closed ticket isn't started", async () => {
    const [first] = await newTicket("first");
    const given = await add("given", { assignee_user_id: ada.id });
    const waits = await add("waits", { depends_on_task_ids: [first] });
    const start = async (id: string) => (await report(id, bens!, { status: "in_progress" })).body.code;
    expect([await start(given), await start(waits)]).toEqual(["already_claimed", "dependencies_unfinished"]);
    await harness.now.call("PATCH", world.ticket.path, {
      token: world.project.admin.token,
      body: { stage: "live" },
    });
    expect(await start(first!)).toBe("conflict");
  });

  test.each(REPORTS.slice(0, 5))("takes no report of an agent before a claim: %j", async (body) => {
    const [id] = await newTicket("task");
    const refused = await report(id!, one!, body);
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_transition"]);
    expect(refused.body.error).toContain("Claim it first");
  });

  test("is revised by an agent: its texts, role, criteria and dependencies", async () => {
    const [id, first] = await newTicket("task", "first");
    const plan = {
      title: "Stream the upload",
      body: "In parts",
      role: "qa",
      acceptance_criteria: [{ text: "3 GB", done: false }],
      depends_on_task_ids: [first],
    };
    expect((await report(id!, one!, plan)).body).toMatchObject(plan);
    expect((await report(id!, one!, { status: "skipped" })).body.status).toBe("skipped");
  });
});

test("an agent finishes a task only when its criteria are met, and a person may anyhow", async () => {
  await newTicket();
  const criteria = [{ text: "3 GB arrives", done: true }, { text: "memory stays flat", done: false }];
  const id = await add("task", { acceptance_criteria: criteria });
  await act(id, "claim", one!);
  const { status, body } = await report(id, one!, { status: "done" });
  expect([status, body.code, body.details]).toEqual([
    409,
    "invalid_transition",
    { unmet: ["2. memory stays flat"] },
  ]);
  expect(body.error).toBe("Cannot finish task task: 1 criterion is unmet (2. memory stays flat)");
  const met = criteria.map((criterion) => ({ ...criterion, done: true }));
  expect((await report(id, one!, { status: "done", acceptance_criteria: met })).body.status).toBe("done");
  const other = await add("other", { acceptance_criteria: criteria });
  await report(other, ada, { status: "in_progress" });
  expect((await report(other, ada, { status: "done" })).body.status).toBe("done");
});
