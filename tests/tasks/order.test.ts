import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { besideLock } from "../behind_lock.ts";
import { useTasks } from "./_tasks.ts";

const { add, call, harness, list, newTicket, order, patch, world } = useTasks();

/**
 * The reordering to c, d, a, b waits while a and b are being written. At that time, a claim of d
 * must not have to wait. a and b are last in every order in which the reordering may reach the
 * tasks, except for the order of their ids.
 */
async function besideClaim(waits: (ids: string[]) => ReturnType<typeof call>) {
  const ids = await newTicket("a", "b", "c", "d");
  const [a, b, c, d] = ids;
  await call("POST", `${world.ticket.path}/tasks/reorder`, { task_ids: [c, d, a, b] });
  for (const id of [a, b]) await patch(id!, { summary: "Moved within the table" });
  return await besideLock(
    harness.now,
    (tx) => tx`select from tasks where id = any (${[a!, b!]}::uuid[]) for update`,
    { waits: () => waits(ids), passes: () => call("POST", `${world.ticket.path}/tasks/${d}/claim`) },
  );
}

describe("deleting a task", () => {
  test("doesn't stand in the way of a claim that it may have to wait for", async () => {
    const { waited, passed } = await besideClaim(([, , c]) =>
      call("DELETE", `${world.ticket.path}/tasks/${c}`)
    );
    expect([passed.status, waited.status]).toEqual([200, 204]);
    expect(await order()).toEqual(["d", "a", "b"]);
  });

  test("closes the gap, and nothing waits for it any more", async () => {
    const [a, b, c, d] = await newTicket("a", "b", "c", "d");
    await patch(c!, { depends_on_task_ids: [b, a] });
    await patch(a!, { depends_on_task_ids: [b] });
    expect((await call("DELETE", `${world.ticket.path}/tasks/${b}`)).status).toBe(204);
    expect(await order()).toEqual(["a", "c", "d"]);
    const tasks = await list();
    expect(tasks.map((task: { depends_on_task_ids: string[] }) => task.depends_on_task_ids)).toEqual([
      [],
      [a],
      [],
    ]);
    expect((await call("DELETE", `${world.ticket.path}/tasks/${b}`)).status).toBe(404);
    expect((await call("DELETE", `${world.ticket.path}/tasks/${d}`)).status).toBe(204);
    expect(await order()).toEqual(["a", "c"]);
    expect(await add("e") && await order()).toEqual(["a", "c", "e"]);
  });
});

describe("reordering tasks", () => {
  function reorder(task_ids: unknown) {
    return call("POST", `${world.ticket.path}/tasks/reorder`, { task_ids });
  }

  test("puts them into the given order", async () => {
    const [a, b, c] = await newTicket("a", "b", "c");
    const { status, body } = await reorder([c, a, b]);
    expect([status, body]).toEqual([200, { reordered: true }]);
    expect(await order()).toEqual(["c", "a", "b"]);
    expect((await reorder([c, a, b!.toUpperCase()])).body).toEqual({ reordered: true });
    await reorder([c, b, a]);
    expect((await list()).map(({ version }: { version: number }) => version), "of what moved").toEqual([
      2,
      3,
      3,
    ]);
  });

  test("doesn't stand in the way of a claim that it may have to wait for", async () => {
    const { waited, passed } = await besideClaim(([a, b, c, d]) => reorder([d, c, b, a]));
    expect([passed.status, waited.status]).toEqual([200, 200]);
    expect(await order()).toEqual(["d", "c", "b", "a"]);
    expect((await list())[0]).toMatchObject({ status: "in_progress", version: 4 });
  });

  test("of none is done", async () => {
    await newTicket();
    expect((await reorder([])).body).toEqual({ reordered: true });
  });

  test("names missing, foreign and doubled ids, and changes nothing", async () => {
    const [a, b, c] = await newTicket("a", "b", "c");
    const stranger = uuid();
    const { status, body } = await reorder([c, stranger, c]);
    expect(status).toBe(400);
    expect(body.fieldErrors).toEqual({
      "task_ids.1": `${stranger} is not a task of this ticket`,
      "task_ids.2": `${c} is named twice`,
      task_ids: `Lacks ${a}, ${b}`,
    });
    for (const wrong of [[], [a, b], [a, b, c, stranger], [a, b, c, a], ["x", a, b], "all", undefined]) {
      expect((await reorder(wrong)).status, JSON.stringify(wrong)).toBe(400);
    }
    expect(await order()).toEqual(["a", "b", "c"]);
  });
});
