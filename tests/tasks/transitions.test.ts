import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { besideLock } from "../behind_lock.ts";
import { useTasks } from "./_tasks.ts";

const { add, call, harness, newTicket, patch, world } = useTasks();

describe("the status of a task", () => {
  const reason = { blocking_reason: "Waits for the key" };
  const allowed: Record<string, string[]> = {
    pending: ["in_progress", "blocked", "skipped"],
    in_progress: ["blocked", "done", "pending", "skipped"],
    blocked: ["pending", "in_progress", "skipped"],
    done: ["pending"],
    skipped: ["pending"],
  };
  const way: Record<string, string[]> = {
    pending: [],
    in_progress: ["in_progress"],
    blocked: ["blocked"],
    done: ["in_progress", "done"],
    skipped: ["skipped"],
  };

  test("goes where the rules allow, and nowhere else", async () => {
    await newTicket();
    for (const from of Object.keys(allowed)) {
      for (const to of Object.keys(allowed)) {
        if (from === to) continue;
        const id = await add(`${from} to ${to}`);
        for (const status of way[from]!) await patch(id, { status, ...(status === "blocked" && reason) });
        const answer = await patch(id, { status: to, ...(to === "blocked" && reason) });
        if (allowed[from]!.includes(to)) expect([answer.status, answer.body.status]).toEqual([200, to]);
        else {expect([answer.status, answer.body.code], `${from} to ${to}`).toEqual([
            409,
            "invalid_transition",
          ]);}
      }
    }
  });

  test("brings its times and minutes with it", async () => {
    const [id] = await newTicket("task");
    const started = (await patch(id!, { status: "in_progress" })).body;
    expect(started).toMatchObject({ started_at: expect.any(String), completed_at: null });
    await harness.now.sql`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      update tasks set started_at = now() - interval '95 minutes 10 seconds' from author where id = ${id!}::uuid`;
    const blocked = (await patch(id!, { status: "blocked", ...reason })).body;
    expect(blocked).toMatchObject({ blocking_reason: reason.blocking_reason });
    const resumed = (await patch(id!, { status: "in_progress" })).body;
    expect(resumed).toMatchObject({ blocking_reason: null, started_at: blocked.started_at });
    const done = (await patch(id!, { status: "done" })).body;
    expect(done).toMatchObject({ completed_at: expect.any(String), actual_minutes: 96 });
    const again = (await patch(id!, { status: "pending" })).body;
    expect(again).toMatchObject({
      started_at: null,
      completed_at: null,
      actual_minutes: null,
      assignee_user_id: null,
    });
    await patch(id!, { status: "in_progress", actual_minutes: 7 });
    expect((await patch(id!, { status: "done" })).body.actual_minutes).toBe(7);
    await patch(id!, { status: "pending" });
    await patch(id!, { status: "in_progress" });
    expect((await patch(id!, { status: "done", actual_minutes: 5 })).body.actual_minutes).toBe(5);
  });

  test("done comes after its beginning, also where it was asked for first and had to wait", async () => {
    const [id] = await newTicket("task");
    const { waited } = await besideLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${world.ticket.id}::uuid for update`,
      {
        waits: () => patch(id!, { status: "done" }),
        passes: () => call("POST", `${world.ticket.path}/tasks/${id}/claim`),
      },
    );
    expect([waited.status, waited.body.status]).toEqual([200, "done"]);
    expect(Date.parse(waited.body.completed_at)).toBeGreaterThanOrEqual(Date.parse(waited.body.started_at));
  });

  test("computes no more minutes than may be entered, and no less", async () => {
    for (const [start, minutes] of [["2020-01-01", 1_000_000], ["2120-01-01", 0]] as const) {
      const [id] = await newTicket("task");
      await patch(id!, { status: "in_progress" });
      await harness.now.sql`
        with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
        update tasks set started_at = ${start}::timestamptz from author where id = ${id!}::uuid`;
      expect((await patch(id!, { status: "done" })).body.actual_minutes).toBe(minutes);
    }
  });

  test("blocked needs a reason, and only blocked has one", async () => {
    const [id] = await newTicket("task");
    const wrong = [
      { status: "blocked" },
      { status: "blocked", blocking_reason: null },
      { status: "in_progress", blocking_reason: "why" },
      { blocking_reason: "why" },
    ];
    for (const body of wrong) {
      const answer = await patch(id!, body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)]).toEqual([400, ["blocking_reason"]]);
    }
    await patch(id!, { status: "blocked", ...reason });
    expect((await patch(id!, { blocking_reason: "Another" })).body.blocking_reason).toBe("Another");
    expect((await patch(id!, { blocking_reason: null })).status).toBe(400);
    expect((await patch(id!, { title: "renamed" })).body.blocking_reason).toBe("Another");
    expect((await patch(id!, { status: "pending" })).body.blocking_reason).toBe(null);
  });

  test("can't be in_progress before the dependencies are done or skipped", async () => {
    const [one, two] = await newTicket("one", "two");
    const third = await add("third", { depends_on_task_ids: [one, two] });
    const refused = await patch(third, { status: "in_progress" });
    expect([refused.status, refused.body.code]).toEqual([409, "dependencies_unfinished"]);
    expect(refused.body.error).toBe("Cannot start task third: it waits for one (pending), two (pending)");
    expect(refused.body.details).toEqual({ task_ids: [one, two] });
    await patch(one!, { status: "skipped" });
    expect((await patch(third, { status: "in_progress" })).body.details).toEqual({ task_ids: [two] });
    expect((await patch(third, { status: "in_progress", depends_on_task_ids: [one] })).status).toBe(200);
  });
});

describe("dependencies", () => {
  test("that would make a cycle are refused with the way around it", async () => {
    const [a, b, c] = await newTicket("a", "b", "c");
    await patch(a!, { depends_on_task_ids: [b] });
    await patch(b!, { depends_on_task_ids: [c] });
    const cycle = await patch(c!, { depends_on_task_ids: [a] });
    expect([cycle.status, cycle.body.fieldErrors]).toEqual([
      400,
      { "depends_on_task_ids.0": "Makes a cycle: c → a → b → c" },
    ]);
    expect(cycle.body.details).toEqual({ cycle: [c, a, b, c] });
    const itself = await patch(c!, { depends_on_task_ids: [c] });
    expect(itself.body.fieldErrors).toEqual({ "depends_on_task_ids.0": "Makes a cycle: c → c" });
    expect((await patch(a!, { depends_on_task_ids: [] })).status).toBe(200);
    expect((await patch(c!, { depends_on_task_ids: [a] })).status).toBe(200);
  });

  test("are each followed once, by however many ways one leads to another", async () => {
    const [last] = await newTicket("last");
    const ids = Array.from({ length: 100 }, () => uuid());
    const rows = ids.map((id, index) => ({
      id,
      sequence: index + 2,
      needs: ids.slice(0, index & ~1).slice(-2),
    }));
    await harness.now.sql`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      insert into tasks (id, ticket_id, project_id, sequence, title, role, depends_on_task_ids)
      select r.id, ${world.ticket.id}::uuid, ${world.project.id}::uuid, r.sequence, 'one of two', 'qa', r.needs
      from author, jsonb_to_recordset(${
      JSON.stringify(rows)
    }::text::jsonb) as r (id uuid, sequence integer, needs uuid[])`;
    expect((await patch(last!, { depends_on_task_ids: ids.slice(-2) })).status).toBe(200);
  });
});
