import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { behindLock, besideLock } from "../behind_lock.ts";
import { makeKey, makeMember, makeTicket, type TestUser } from "../factories.ts";
import { useTasks } from "./_tasks.ts";

const { add, harness, newTicket, patch, world } = useTasks();

let [ada, ben]: TestUser[] = [];
let adasKey: { id: string; token: string };
beforeAll(async () => {
  ada = await makeMember(harness.now, world.project, "member");
  ben = await makeMember(harness.now, world.project, "member");
  adasKey = await makeKey(harness.now, ada);
});

/** Calls as that user, who may do less than the admin. */
function call(method: string, path: string, { token }: { token: string }, body?: Record<string, unknown>) {
  return harness.now.call(method, path, { token, body });
}

function act(
  id: string | undefined,
  action: string,
  user: { token: string },
  body?: Record<string, unknown>,
) {
  return call("POST", `${world.ticket.path}/tasks/${id}/${action}`, user, body);
}

async function outcome(answer: ReturnType<typeof act>) {
  const { status, body } = await answer;
  return [status, body.code ?? body.status];
}

/** Turns the clock of a lease back. */
async function letExpire(id: string): Promise<void> {
  await harness.now.sql`
    with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
    update tasks set lease_expires_at = now() - interval '1 second' from author where id = ${id}::uuid`;
}

describe("claiming a task", () => {
  test("gives it to a person without a lease, and to an agent for 15 minutes", async () => {
    const [id, other] = await newTicket("task", "other");
    const { status, body } = await act(id, "claim", ada!);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "in_progress",
      assignee_user_id: ada!.id,
      assignee_session_id: ada!.sessionId,
      started_at: expect.any(String),
      lease_expires_at: null,
    });
    const { body: leased } = await act(other, "claim", adasKey!);
    expect(Date.parse(leased.lease_expires_at) - Date.parse(leased.started_at)).toBe(15 * 60_000);
    const bot = await makeMember(harness.now, world.project, "member", "bot");
    await act(other, "release", adasKey!);
    expect((await act(other, "claim", bot)).body.lease_expires_at).not.toBe(null);
  });

  test("of a bot keeps its key, or the run that it names", async () => {
    const [one, two] = await newTicket("one", "two");
    const key = await makeKey(harness.now, ada!);
    expect((await act(one, "claim", key)).body).toMatchObject({
      assignee_user_id: ada!.id,
      assignee_session_id: key.id,
    });
    expect((await act(two, "claim", key, { session_id: "bc_run" })).body.assignee_session_id).toBe("bc_run");
  });

  test("that is taken is already_claimed for all, its holder too", async () => {
    const [id] = await newTicket("task");
    await act(id, "claim", ada!);
    for (const user of [ben!, ada!]) {
      expect(await outcome(act(id, "claim", user))).toEqual([409, "already_claimed"]);
    }
  });

  test("that was given to somebody is for that one", async () => {
    await newTicket();
    const id = await add("task", { assignee_user_id: ada!.id });
    expect(await outcome(act(id, "claim", ben!))).toEqual([409, "already_claimed"]);
    expect(await outcome(act(id, "claim", ada!))).toEqual([200, "in_progress"]);
  });

  test("says whose it is where it can't be had", async () => {
    const [id, begun] = await newTicket("task", "begun");
    await act(id, "claim", ada!);
    await call("PATCH", `${world.ticket.path}/tasks/${begun}`, ada!, { status: "in_progress" });
    const says = async (...attempt: Parameters<typeof act>) => (await act(...attempt)).body.error;
    expect(await says(id, "claim", ada!)).toBe("Cannot claim task task: it is yours already");
    expect(await says(id, "claim", ben!)).toMatch(
      /^Cannot claim task task: it is held by Test User, as "[^"]+", since 20/,
    );
    expect(await says(begun, "claim", ada!)).toBe("Cannot claim task begun: it was started without a claim");
    await call("PATCH", `${world.ticket.path}/tasks/${begun}`, ada!, { assignee_user_id: ada!.id });
    expect(await says(begun, "claim", ada!)).toBe(
      "Cannot claim task begun: it is assigned to you without a claim",
    );
    expect(await says(begun, "claim", ben!)).toBe(
      "Cannot claim task begun: it is assigned to Test User without a claim",
    );
    await call("PATCH", `${world.ticket.path}/tasks/${begun}`, ada!, { assignee_user_id: null });
    expect(await says(begun, "heartbeat", ben!)).toBe(
      "Cannot extend the claim of task begun: it was started without a claim",
    );
  });

  test("that is taken shows the task as it is, so that a lost answer tells no less", async () => {
    const [id] = await newTicket("task");
    const given = await add("task", { assignee_user_id: ada!.id });
    const { body: claimed } = await act(id, "claim", ada!);
    const attempts = [["claim", ada!], ["claim", ben!], ["heartbeat", ben!], ["release", ben!]] as const;
    for (const [action, user] of attempts) {
      const { body } = await act(id, action, user);
      expect([body.code, body.details]).toEqual([
        "already_claimed",
        { current: claimed, yours: user === ada },
      ]);
    }
    const { body } = await act(given, "claim", ben!);
    expect(body.details.current).toMatchObject({ id: given, assignee_user_id: ada!.id });
  });

  test("waits for a dependency that it is given at that moment", async () => {
    const [id, before] = await newTicket("task", "before");
    const [given, claimed] = await behindLock(
      harness.now,
      (tx) => tx`select from tasks where id = ${id!}::uuid for update`,
      () => patch(id!, { depends_on_task_ids: [before] }),
      () => act(id, "claim", ada!),
    );
    expect([given!.status, claimed!.status, claimed!.body.code]).toEqual([
      200,
      409,
      "dependencies_unfinished",
    ]);
  });

  test("of a task whose dependency is reopened while it waits is refused", async () => {
    const [before] = await newTicket("before");
    await patch(before!, { status: "skipped" });
    const id = await add("task", { depends_on_task_ids: [before] });
    const { waited, passed } = await besideLock(
      harness.now,
      (tx) => tx`select from tasks where id = ${id}::uuid for update`,
      { waits: () => act(id, "claim", ada!), passes: () => patch(before!, { status: "pending" }) },
    );
    expect([passed.status, waited.status, waited.body.code]).toEqual([200, 409, "dependencies_unfinished"]);
  });

  test("is seen by a change of the task that waits for it", async () => {
    const [id] = await newTicket("task");
    const [claimed, changed] = await behindLock(
      harness.now,
      (tx) => tx`select from tasks where id = ${id!}::uuid for update`,
      () => act(id, "claim", ada!),
      () => patch(id!, { title: "another" }, { headers: { "if-match": '"1"' } }),
    );
    expect([claimed!.status, changed!.status]).toEqual([200, 412]);
  });

  test("of a ticket that is closed while it waits is refused", async () => {
    const [id] = await newTicket("task");
    const { waited, passed } = await besideLock(
      harness.now,
      (tx) => tx`select from tasks where id = ${id!}::uuid for update`,
      {
        waits: () => act(id, "claim", ada!),
        passes: () => call("PATCH", world.ticket.path, ada!, { status: "closed" }),
      },
    );
    expect([passed.status, waited.status, waited.body.code]).toEqual([200, 409, "conflict"]);
  });

  test("waits for its dependencies", async () => {
    const [first] = await newTicket("first");
    const id = await add("task", { depends_on_task_ids: [first] });
    const refused = await act(id, "claim", ada!);
    expect([refused.status, refused.body.code]).toEqual([409, "dependencies_unfinished"]);
    expect(refused.body.details).toEqual({ task_ids: [first] });
    await call("PATCH", `${world.ticket.path}/tasks/${first}`, ada!, { status: "skipped" });
    expect(await outcome(act(id, "claim", ada!))).toEqual([200, "in_progress"]);
  });

  test("that is done, skipped or blocked, or of a closed ticket, is refused with the reason", async () => {
    const [id, other] = await newTicket("task", "other");
    const path = `${world.ticket.path}/tasks/${id}`;
    await call("PATCH", path, ada!, { status: "skipped" });
    expect(await outcome(act(id, "claim", ada!))).toEqual([409, "invalid_transition"]);
    await call("PATCH", path, ada!, { status: "pending" });
    await call("PATCH", path, ada!, { status: "blocked", blocking_reason: "Waits" });
    expect(await outcome(act(id, "claim", ada!))).toEqual([409, "invalid_transition"]);
    await call("PATCH", world.ticket.path, ada!, { stage: "live" });
    expect(await outcome(act(other, "claim", ada!))).toEqual([409, "conflict"]);
  });

  test("is refused to viewers and for unknown tasks", async () => {
    const [id] = await newTicket("task");
    const viewer = await makeMember(harness.now, world.project, "viewer");
    expect((await act(id, "claim", viewer)).status).toBe(403);
    expect((await act(world.ticket.id, "claim", ada!)).status).toBe(404);
    const other = await makeTicket(harness.now, world.project);
    expect((await call("POST", `${other.path}/tasks/${id}/claim`, ada!)).status).toBe(404);
  });

  test("is one statement", async () => {
    const ids = await newTicket("one", "two");
    await act(ids[0], "claim", ada!);
    const before = harness.now.statements.length;
    await act(ids[1], "claim", ada!);
    const sent = harness.now.statements.slice(before).filter((text) => /\btasks\b/.test(text));
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/update tasks/);
  });
});

describe("a claim", () => {
  test("is extended by its holder's heartbeat, and by nobody else's", async () => {
    const [id, free] = await newTicket("task", "free");
    await act(id, "claim", adasKey!);
    await letExpire(id!);
    const beaten = await act(id, "heartbeat", adasKey!);
    expect(beaten.status).toBe(200);
    expect(Date.parse(beaten.body.lease_expires_at)).toBeGreaterThan(Date.now() + 14 * 60_000);
    expect(await outcome(act(id, "heartbeat", ben!))).toEqual([409, "already_claimed"]);
    expect(await outcome(act(free, "heartbeat", ada!))).toEqual([409, "invalid_transition"]);
  });

  test("is given back by its holder or an admin, and by nobody else", async () => {
    const [id] = await newTicket("task");
    for (const releaser of [ada!, world.project.admin]) {
      await act(id, "claim", ada!);
      await call("PATCH", `${world.ticket.path}/tasks/${id}`, ada!, { actual_minutes: 5 });
      expect(await outcome(act(id, "release", ben!))).toEqual([409, "already_claimed"]);
      expect((await act(id, "release", releaser)).body).toMatchObject({
        status: "pending",
        assignee_user_id: null,
        assignee_session_id: null,
        lease_expires_at: null,
        started_at: null,
        actual_minutes: null,
      });
      expect(await outcome(act(id, "release", releaser))).toEqual([409, "invalid_transition"]);
    }
    expect(await outcome(act(id, "claim", ben!))).toEqual([200, "in_progress"]);
  });

  test("is not needed to give back a task that was begun without one, under any session", async () => {
    const [id] = await newTicket("task");
    const [key] = [await makeKey(harness.now, ada!), await makeKey(harness.now, ada!)];
    for (const [user, body] of [[ada!, { session_id: "run" }], [key, undefined]] as const) {
      await call("PATCH", `${world.ticket.path}/tasks/${id}`, ada!, {
        status: "in_progress",
        assignee_user_id: ada!.id,
      });
      expect(await outcome(act(id, "release", user, body))).toEqual([200, "pending"]);
    }
  });

  test("whose lease ran out ends at the sweep, in the sweep's name", async () => {
    const [late, fresh] = await newTicket("late", "fresh");
    const { version } = (await act(late, "claim", adasKey!)).body;
    await act(fresh, "claim", ada!);
    await letExpire(late!);
    await harness.now.run("end-leases");
    const { tasks } = (await call("GET", `${world.ticket.path}/tasks`, ada!)).body;
    expect(tasks[0]).toMatchObject({
      status: "pending",
      assignee_user_id: null,
      lease_expires_at: null,
      version: version + 1,
    });
    expect(tasks[1]).toMatchObject({ status: "in_progress", assignee_user_id: ada!.id });
    const { history } = (await call("GET", `${world.ticket.path}/history?limit=200`, ada!)).body;
    const [row] = history.filter((row: { field: string; to: string }) =>
      row.field === "status" && row.to === "pending"
    );
    expect(row.actor).toEqual({ kind: "job", id: "end-leases" });
    expect(await outcome(act(late, "heartbeat", ada!))).toEqual([409, "invalid_transition"]);
  });

  test("is kept by who is told so while the sweep runs", async () => {
    const [id] = await newTicket("task");
    await act(id, "claim", adasKey!);
    await letExpire(id!);
    await harness.now.boss.send("end-leases", {});
    let swept: Promise<unknown> | undefined;
    const { waited } = await besideLock(
      harness.now,
      (tx) => tx`select from tasks where id = ${id!}::uuid for update`,
      {
        waits: () => act(id, "heartbeat", adasKey!),
        async passes() {
          swept = harness.now.work("end-leases");
          await Promise.race([swept, pause(500)]);
          return await call("GET", world.ticket.path, ada!);
        },
      },
    );
    await swept;
    const { body } = await call("GET", `${world.ticket.path}/tasks/${id}`, ada!);
    expect(body.status).toBe(waited.status === 200 ? "in_progress" : "pending");
  });

  test("goes on when the work does after a blockade", async () => {
    const [id] = await newTicket("task");
    const path = `${world.ticket.path}/tasks/${id}`;
    await act(id, "claim", adasKey!);
    const blocked = await call("PATCH", path, ada!, { status: "blocked", blocking_reason: "Waits" });
    expect(blocked.body).toMatchObject({ assignee_session_id: adasKey!.id, lease_expires_at: null });
    expect(await outcome(act(id, "heartbeat", ada!))).toEqual([409, "invalid_transition"]);
    const resumed = await call("PATCH", path, ada!, { status: "in_progress" });
    expect(Date.parse(resumed.body.lease_expires_at)).toBeGreaterThan(Date.now() + 14 * 60_000);
    expect(await outcome(act(id, "heartbeat", ada!))).toEqual([200, "in_progress"]);
    await call("PATCH", path, ada!, { status: "blocked", blocking_reason: "Waits" });
    const given = { status: "in_progress", assignee_user_id: ben!.id };
    expect((await call("PATCH", path, ada!, given)).body).toMatchObject({
      assignee_session_id: null,
      lease_expires_at: null,
    });
    expect((await act(id, "heartbeat", ben!)).body.error).toBe(
      "Cannot extend the claim of task task: it is assigned to you without a claim",
    );
  });

  test("that was lost changes nothing of the next one with its own ETag, which heartbeats leave as it is", async () => {
    const [id] = await newTicket("task");
    const claimed = await act(id, "claim", adasKey!);
    const finish = () =>
      harness.now.call("PATCH", `${world.ticket.path}/tasks/${id}`, {
        token: ada!.token,
        headers: { "If-Match": claimed.headers.get("etag")! },
        body: { status: "done" },
      });
    expect((await act(id, "heartbeat", ada!)).headers.get("etag")).toBe(claimed.headers.get("etag"));
    await letExpire(id!);
    await harness.now.run("end-leases");
    await act(id, "claim", ben!);
    expect(await outcome(finish())).toEqual([412, "version_conflict"]);
    expect(await outcome(act(id, "heartbeat", ben!))).toEqual([200, "in_progress"]);
  });

  test("ends when the work does", async () => {
    const [id] = await newTicket("task");
    await act(id, "claim", ada!);
    const { body } = await call("PATCH", `${world.ticket.path}/tasks/${id}`, ada!, { status: "done" });
    expect(body).toMatchObject({ status: "done", assignee_user_id: ada!.id, lease_expires_at: null });
  });
});

describe("claiming, a heartbeat and a release", () => {
  const VERBS = ["claim", "heartbeat", "release"];

  test("honour If-Match: a stale one is 412 with the current task, the right one passes", async () => {
    const [id] = await newTicket("task");
    const path = `${world.ticket.path}/tasks/${id}`;
    const tag = async () => (await call("GET", path, ada!)).headers.get("etag")!;
    const send = (verb: string, ifMatch: string) =>
      harness.now.call("POST", `${path}/${verb}`, { token: ada!.token, headers: { "If-Match": ifMatch } });
    for (const verb of VERBS) {
      const stale = await tag();
      await call("PATCH", path, ada!, { summary: `Changed before the ${verb}` });
      const refused = await send(verb, stale);
      expect([refused.status, refused.body.code]).toEqual([412, "version_conflict"]);
      expect(refused.body.details.current).toEqual((await call("GET", path, ada!)).body);
      const malformed = await send(verb, "3");
      expect([malformed.status, Object.keys(malformed.body.fieldErrors)]).toEqual([400, ["If-Match"]]);
      expect((await send(verb, await tag())).status).toBe(200);
    }
  });

  test("are made once more when they fall victim to a deadlock", async () => {
    const [id] = await newTicket("task");
    // A failure does not set back a sequence, so the first try of each statement is the victim.
    await harness.now.sql.unsafe(`
      create sequence tries;
      create function fail_every_other() returns trigger language plpgsql as $$ begin
        if nextval('tries') % 2 = 1 then raise exception 'the victim' using errcode = 'deadlock_detected'; end if;
        return new;
      end $$;
      create trigger fail_every_other before update on tasks for each row execute function fail_every_other()`);
    try {
      for (const verb of VERBS) expect((await act(id, verb, ada!)).status).toBe(200);
    } finally {
      await harness.now.sql.unsafe("drop function fail_every_other cascade; drop sequence tries");
    }
  });
});

describe("agents of one user", () => {
  /** The first's lease ends, and the second claims. */
  async function takeOver(
    first: () => ReturnType<typeof act>,
    second: () => ReturnType<typeof act>,
    id: string,
  ) {
    expect((await first()).status).toBe(200);
    await letExpire(id);
    await harness.now.run("end-leases");
    expect((await second()).status).toBe(200);
  }

  test("with keys of their own don't act on one another's claims, admins' agents neither", async () => {
    for (const user of [ada!, world.project.admin]) {
      const [id] = await newTicket("task");
      const [late, fresh] = [await makeKey(harness.now, user), await makeKey(harness.now, user)];
      await takeOver(() => act(id, "claim", late), () => act(id, "claim", fresh), id!);
      for (const action of ["claim", "heartbeat", "release"]) {
        const refused = await act(id, action, late);
        expect([refused.status, refused.body.code]).toEqual([409, "already_claimed"]);
        expect(refused.body.error).toMatch(
          /it is held by another session or key of yours, as "[^"]+", until 20/,
        );
      }
      expect(await outcome(act(id, "heartbeat", fresh))).toEqual([200, "in_progress"]);
      expect(await outcome(act(id, "release", fresh))).toEqual([200, "pending"]);
    }
  });

  test("with one key don't either, where they name their sessions", async () => {
    const [id] = await newTicket("task");
    const key = await makeKey(harness.now, ada!);
    const [late, fresh] = [{ session_id: "run 1" }, { session_id: "run 2" }];
    await takeOver(() => act(id, "claim", key, late), () => act(id, "claim", key, fresh), id!);
    for (const action of ["heartbeat", "release"]) {
      expect(await outcome(act(id, action, key, late))).toEqual([409, "already_claimed"]);
    }
    expect(await outcome(act(id, "heartbeat", key, fresh))).toEqual([200, "in_progress"]);
    const nameless = await act(id, "heartbeat", key);
    expect([nameless.status, nameless.body.error]).toEqual([
      409,
      expect.stringMatching(
        /held by "run 2", an agent of this key, until 20.*If you are "run 2", name it in the call$/,
      ),
    ]);
    expect(await outcome(act(id, "release", key, fresh))).toEqual([200, "pending"]);
  });

  test("give way to that user, who may keep and give back what they claim", async () => {
    const [id] = await newTicket("task");
    const key = await makeKey(harness.now, ada!);
    await act(id, "claim", key);
    expect(await outcome(act(id, "heartbeat", ada!))).toEqual([200, "in_progress"]);
    expect(await outcome(act(id, "release", ada!))).toEqual([200, "pending"]);
  });
});

test("an admin gives back what another's agent claimed, and their agent may not", async () => {
  const [id] = await newTicket("task");
  await act(id, "claim", await makeKey(harness.now, ada!));
  const key = await makeKey(harness.now, world.project.admin);
  expect(await outcome(act(id, "release", key))).toEqual([409, "already_claimed"]);
  expect(await outcome(act(id, "release", world.project.admin))).toEqual([200, "pending"]);
});

describe("taking over a task", () => {
  test("gives it to a person, with history, and not to an agent", async () => {
    const [id, free] = await newTicket("task", "free");
    await act(id, "claim", ada!);
    expect(await outcome(act(id, "take-over", await makeKey(harness.now, ben!)))).toEqual([403, "forbidden"]);
    expect((await act(id, "take-over", ben!)).body).toMatchObject({
      status: "in_progress",
      assignee_user_id: ben!.id,
      lease_expires_at: null,
    });
    expect(await outcome(act(id, "take-over", ben!))).toEqual([409, "already_claimed"]);
    expect(await outcome(act(id, "heartbeat", ada!))).toEqual([409, "already_claimed"]);
    expect(await outcome(act(free, "take-over", ben!))).toEqual([409, "invalid_transition"]);
    const { history } = (await call("GET", `${world.ticket.path}/history?limit=200`, ben!)).body;
    const rows = history.filter(({ field, to }: Record<string, unknown>) =>
      field === "assignee_user_id" && to === ben!.id
    );
    expect(rows).toMatchObject([{ from: ada!.id, actor: { id: ben!.id } }]);
    await harness.now.follow();
    const { notifications } = (await call("GET", "/inbox", ada!)).body;
    const told = notifications.find(({ ticket }: { ticket: { id: string } }) =>
      ticket.id === world.ticket.id
    );
    expect(told).toMatchObject({ reason: "change", last_event: { actor: { id: ben!.id } } });
  });

  test("takes it from an agent, whose reports are refused from then on", async () => {
    const [id] = await newTicket("task");
    await act(id, "claim", adasKey!);
    expect((await act(id, "take-over", ada!)).body.lease_expires_at).toBe(null);
    const late = await call("PATCH", `${world.ticket.path}/tasks/${id}`, adasKey!, { summary: "Half of it" });
    expect([late.status, late.body.code]).toEqual([409, "already_claimed"]);
  });

  test("shows a person what they have held for a day without a sign", async () => {
    const [id] = await newTicket("task");
    await act(id, "claim", ada!);
    const waiting = async () => (await call("GET", "/waiting?kind=claim", ada!)).body.waiting;
    const ids = async () => (await waiting()).map(({ id }: { id: string }) => id);
    expect(await ids()).not.toContain(id);
    await harness.now.sql`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      update tasks set updated_at = now() - interval '25 hours' from author where id = ${id!}::uuid`;
    await harness.now.run("end-leases");
    expect(await ids()).toContain(id);
    expect(await outcome(act(id, "heartbeat", ada!))).toEqual([200, "in_progress"]);
    expect(await ids()).not.toContain(id);
  });
});

describe("the next task", () => {
  async function nextOf(user: { token: string }, query = "") {
    const { status, body } = await call("GET", `${world.ticket.path}/tasks/next${query}`, user);
    return status === 200 ? body.title : status;
  }

  test("is the first in order that the caller may claim, of the role asked for", async () => {
    const [first] = await newTicket("first");
    await add("waits", { depends_on_task_ids: [first] });
    await add("for ben", { assignee_user_id: ben!.id });
    await add("design", { role: "design" });
    const last = await add("last");
    expect([await nextOf(ada!), await nextOf(ada!, "?role=design")]).toEqual(["first", "design"]);
    await act(first, "claim", ada!);
    expect([await nextOf(ada!), await nextOf(ben!)]).toEqual(["design", "for ben"]);
    expect(await nextOf(ada!, "?role=backend")).toBe("last");
    const set = (fields: Record<string, unknown>) =>
      call("PATCH", `${world.ticket.path}/tasks/${first}`, ada!, fields);
    await set({ status: "blocked", blocking_reason: "No access" });
    expect(await nextOf(ada!)).toBe("design");
    await set({ status: "in_progress" });
    await set({ status: "done" });
    expect(await nextOf(ada!)).toBe("waits");
    const { body } = await call("GET", `${world.ticket.path}/tasks`, ada!);
    const ids = body.tasks.map(({ id }: { id: string }) => id);
    await call("POST", `${world.ticket.path}/tasks/reorder`, ada!, {
      task_ids: [last, ...ids.filter((id: string) => id !== last)],
    });
    expect(await nextOf(ada!)).toBe("last");
  });

  test("is 404 when there is none, and 400 for an unknown role", async () => {
    await newTicket("task");
    expect(await nextOf(ada!, "?role=qa")).toBe(404);
    expect(await nextOf(ada!, "?role=boss")).toBe(400);
    await call("PATCH", world.ticket.path, ada!, { stage: "live" });
    expect(await nextOf(ada!)).toBe(404);
  });

  test("is none for who may only read", async () => {
    await newTicket("task");
    const viewer = await makeMember(harness.now, world.project, "viewer");
    const reader = await makeKey(harness.now, ada!, { scopes: ["tasks:read"] });
    const worker = await makeKey(harness.now, ada!, { scopes: ["tasks:read", "tasks:write"] });
    expect([await nextOf(viewer), await nextOf(reader), await nextOf(worker)]).toEqual([404, 404, "task"]);
  });

  test("is found by every claimant at once and claimed by each but once", async () => {
    const ids = await newTicket(...Array.from({ length: 8 }, (_, index) => `task ${index}`));
    const workers = Array.from({ length: 8 }, (_, index) => index % 2 ? ada! : ben!);
    const claimed = await Promise.all(workers.map(async (worker) => {
      for (;;) {
        const found = (await call("GET", `${world.ticket.path}/tasks/next`, worker)).body;
        const { status } = await act(found.id, "claim", worker);
        if (status === 200) return found.id;
        expect(status).toBe(409);
      }
    }));
    expect(claimed.toSorted()).toEqual(ids.toSorted());
  });
});
