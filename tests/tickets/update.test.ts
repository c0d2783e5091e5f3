import superjson from "superjson";
import { describe, expect, test } from "vitest";
import { behindLock, besideLock } from "../behind_lock.ts";
import { makeKey, makeMember, makeProject, makeTicket, useProject } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

function patch(path: string, body: Record<string, unknown>, options: CallOptions = {}) {
  return harness.now.call("PATCH", path, { token: project.admin.token, body, ...options });
}

function send(method: string, path: string, body?: Record<string, unknown>) {
  return harness.now.call(method, path, { token: project.admin.token, body });
}

describe("changing stage and status", () => {
  test("a ticket may move from any stage to any other", async () => {
    const ticket = await makeTicket(harness.now, project);
    const stages = [
      "up_next",
      "validation",
      "in_progress",
      "live",
      "backlog",
      "live",
      "validation",
      "backlog",
    ];
    for (const stage of stages) {
      const { status, body } = await patch(ticket.path, { stage });
      expect([status, body.stage, body.status]).toEqual([200, stage, stage === "live" ? "closed" : "open"]);
    }
  });

  test("status closed moves to live with a resolution; status open moves back to the backlog without one", async () => {
    const ticket = await makeTicket(harness.now, project);
    const closed = await patch(ticket.path, {
      status: "closed",
      resolution_type: "duplicate",
      resolution_note: "of 1",
    });
    expect(closed.body).toMatchObject({
      stage: "live",
      status: "closed",
      resolution_type: "duplicate",
      resolution_note: "of 1",
      closed_at: expect.any(String),
      version: 2,
    });
    const opened = await patch(ticket.path, { status: "open" });
    expect(opened.body).toMatchObject({
      stage: "backlog",
      status: "open",
      resolution_type: null,
      resolution_note: null,
      closed_at: null,
      version: 3,
    });
    expect((await patch(ticket.path, { stage: "live" })).body.resolution_type).toBe("completed");
    const back = await patch(ticket.path, { status: "open", stage: "validation" });
    expect([back.body.stage, back.body.status]).toEqual(["validation", "open"]);
    expect((await patch(ticket.path, { status: "open" })).body.stage).toBe("validation");
  });

  test("a contradiction of stage and status is refused, and so are unknown values", async () => {
    const ticket = await makeTicket(harness.now, project);
    const wrong = [
      [{ status: "closed", stage: "validation" }, "status"],
      [{ status: "open", stage: "live" }, "status"],
      [{ stage: "done" }, "stage"],
      [{ status: "deleted" }, "status"],
      [{ resolution_type: "duplicate" }, "resolution_type"],
      [{ stage: "validation", resolution_note: "why" }, "resolution_note"],
      [{ merge_sha: "abc" }, "merge_sha"],
      [{ idempotency_key: "key" }, "idempotency_key"],
      [{ skip_human_test_gate: true }, "skip_human_test_gate"],
    ] as const;
    for (const [body, field] of wrong) {
      const answer = await patch(ticket.path, body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)], field).toEqual([400, [field]]);
    }
    expect((await send("GET", ticket.path)).body.version).toBe(1);
  });

  test("the resolution of a closed ticket may be changed", async () => {
    const ticket = await makeTicket(harness.now, project);
    await patch(ticket.path, { stage: "live", resolution_note: "merged" });
    const { body } = await patch(ticket.path, { resolution_type: "wont_fix", resolution_note: null });
    expect(body).toMatchObject({ status: "closed", resolution_type: "wont_fix", resolution_note: null });
  });
});

describe("the gates", () => {
  test("unfinished roles and unapproved cases refuse a closing, and nothing of the call happens", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa", "design"] });
    const made = await send("POST", `${ticket.path}/test-cases`, {
      title: "Try it",
      instruction: "Open the page.",
    });
    const before = await send("GET", ticket.path);
    expect(before.body.closing).toEqual({ people: 0, roles: 2, cases: 1, children: 0, questions: 0 });
    for (const body of [{ stage: "live" }, { status: "closed" }, { stage: "live", title: "Another title" }]) {
      const refused = await patch(ticket.path, body);
      expect([refused.status, refused.body.code]).toEqual([409, "roles_incomplete"]);
      expect(refused.body.error).toBe(
        `Cannot close ticket ${ticket.ref}: 2 roles are unfinished (design, qa)`,
      );
      expect(refused.body.details).toEqual({ roles: ["design", "qa"] });
    }
    expect((await send("GET", ticket.path)).body).toEqual(before.body);

    const pending = await patch(ticket.path, { roles: [], stage: "live" });
    expect([pending.status, pending.body.code]).toEqual([409, "human_tests_pending"]);
    expect(pending.body.error).toBe(`Cannot close ticket ${ticket.ref}: 1 human test case is not approved`);
    expect(pending.body.details).toEqual({ cases: [{ id: made.body.id, title: "Try it" }] });
    expect((await send("GET", ticket.path)).body.roles).toHaveLength(2);

    await send("POST", `${ticket.path}/test-cases/${made.body.id}/approve`, {});
    const closed = await patch(ticket.path, { roles: [], stage: "live" });
    expect([closed.status, closed.body.status, closed.body.roles]).toEqual([200, "closed", []]);
    expect(closed.body.closing).toEqual({ people: 0, roles: 0, cases: 0, children: 0, questions: 0 });
  });

  test("no gate stands between the open stages, nor before a way back", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    await send("POST", `${ticket.path}/test-cases`, { title: "Try it", instruction: "Open the page." });
    expect((await patch(ticket.path, { stage: "validation" })).status).toBe(200);
  });

  test("a closed ticket takes no new role", async () => {
    const ticket = await makeTicket(harness.now, project);
    await patch(ticket.path, { stage: "live" });
    const refused = await patch(ticket.path, { roles: ["qa"] });
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    const reopened = await patch(ticket.path, { roles: ["qa"], status: "open" });
    expect([reopened.status, reopened.body.stage]).toEqual([200, "backlog"]);
  });
});

describe("the version", () => {
  test("grows by one with every change, and not without one", async () => {
    const ticket = await makeTicket(harness.now, project, { evidence: { long: 1, b: null } });
    const changes = [{ title: "Another title" }, { stage: "validation", priority: "high" }, {
      roles: ["qa"],
    }];
    let version = 1;
    for (const change of changes) {
      const { body, headers } = await patch(ticket.path, change);
      expect(body.version).toBe(++version);
      expect(body.updated_at > body.created_at).toBe(true);
      expect(headers.get("etag")).toBe(`"${version}"`);
    }
    const same = await patch(ticket.path, {
      title: "Another title",
      stage: "validation",
      roles: ["qa"],
      evidence: { b: null, long: 1 },
    });
    expect(same.body.version).toBe(version);
  });

  test("stays for evidence that is the same once it is stored", async () => {
    const ticket = await makeTicket(harness.now, project, { evidence: { a: 0, b: [{}] } });
    const raw = '{"evidence":{"a":-0,"b":[{}]}}';
    const headers = { authorization: `Bearer ${project.admin.token}`, "content-type": "application/json" };
    const { status, body } = await harness.now.call("PATCH", ticket.path, { raw, headers });
    expect([status, body.version]).toEqual([200, 1]);
    const evidence = { a: 0, b: [{ c: undefined }], d: undefined };
    const input = superjson.serialize({ id: project.id, ticketId: ticket.id, evidence });
    const answer = await harness.now.request("POST", "/trpc/tickets.update", { headers, body: input });
    expect((await answer.json()).result.data.json).toMatchObject({ evidence: { a: 0, b: [{}] }, version: 1 });
  });

  test("is never the older one by its times, also of a change that waited while another was made", async () => {
    const [first, ticket] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
    const { waited, passed } = await besideLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${first.id}::uuid for update`,
      {
        waits: () =>
          send("POST", `${project.path}/tickets/bulk`, {
            action: "close",
            ticket_ids: [first.id, ticket.id],
          }),
        passes: () => patch(ticket.path, { priority: "high" }),
      },
    );
    expect([waited.body.updated, passed.body.version]).toEqual([2, 2]);
    const { body } = await send("GET", ticket.path);
    expect(body.version).toBe(3);
    expect(body.updated_at >= passed.body.updated_at).toBe(true);
    expect(body.closed_at >= passed.body.updated_at).toBe(true);
    const { history } = (await send("GET", `${ticket.path}/history`)).body;
    const times = history.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted());
  });

  test("is the later one by updated_at, also of an edit that waited for a move", async () => {
    const ticket = await makeTicket(harness.now, project);
    const [moved, edited] = await behindLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${ticket.id}::uuid for update`,
      () =>
        send("POST", `${project.path}/tickets/bulk`, {
          action: "move",
          stage: "validation",
          ticket_ids: [ticket.id],
        }),
      () => patch(ticket.path, { priority: "high" }),
    );
    expect([moved!.body.updated, edited!.body.version]).toEqual([1, 3]);
    const { history } = (await send("GET", `${ticket.path}/history`)).body;
    const move = history.find(({ field }: { field: string }) => field === "stage");
    expect(edited!.body.updated_at >= move.at).toBe(true);
  });

  test("a stale If-Match is 412 with the current ticket, a malformed one 400; both change nothing", async () => {
    const ticket = await makeTicket(harness.now, project);
    const current = (await patch(ticket.path, { priority: "high" })).body;
    for (const stale of ['"1"', 'W/"1"', '"other"', '"1", "7"', '"2-other"', '""', '"02"', '"3"']) {
      const refused = await patch(ticket.path, { priority: "low" }, { headers: { "If-Match": stale } });
      expect([refused.status, refused.body.code, refused.body.error], stale)
        .toEqual([412, "version_conflict", "The ticket has version 2, which If-Match does not name"]);
      expect(refused.body.details.current).toEqual(current);
    }
    for (const malformed of ["2", '"2', "two", '"2" "3"']) {
      const refused = await patch(ticket.path, { priority: "low" }, { headers: { "If-Match": malformed } });
      expect([refused.status, Object.keys(refused.body.fieldErrors)], malformed).toEqual([400, ["If-Match"]]);
    }
    expect((await send("GET", ticket.path)).body).toEqual(current);
    for (
      const [index, fits] of ['"2"', "*", '"9", "4"', 'W/"5"', '"6-gzip"', 'W/"7-br"', '"8--gzip"'].entries()
    ) {
      const taken = await patch(ticket.path, { title: `Title ${index}` }, { headers: { "If-Match": fits } });
      expect([taken.status, taken.body.version], fits).toEqual([200, 3 + index]);
    }
  });
});

describe("other fields", () => {
  test("null clears the optional ones, and a merged commit is lower-cased", async () => {
    const ticket = await makeTicket(harness.now, project, {
      evidence: { a: 1 },
      suggested_resolution: "Try again",
    });
    const { body } = await patch(ticket.path, {
      evidence: null,
      suggested_resolution: null,
      merge_sha: "ABCDEF0123".repeat(4),
    });
    expect(body).toMatchObject({
      evidence: null,
      suggested_resolution: null,
      merge_sha: "abcdef0123".repeat(4),
      ship: "merged",
    });
  });

  test("a role that the account has switched off can't be given", async () => {
    const other = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, other, { roles: ["qa"] });
    await harness.now
      .sql`update accounts set disabled_roles = '{qa,design}' where id = ${other.accountId}::uuid`;
    harness.now.services.access.clear();
    const options = { token: other.admin.token };
    const refused = await harness.now.call("PATCH", ticket.path, {
      ...options,
      body: { roles: ["qa", "other", "design"] },
    });
    expect([refused.status, Object.keys(refused.body.fieldErrors)]).toEqual([400, ["roles.2"]]);
    const kept = await harness.now.call("PATCH", ticket.path, {
      ...options,
      body: { roles: ["qa", "other"] },
    });
    expect(kept.status).toBe(200);
  });

  test("viewers change nothing; keys with the scope do, under their own name", async () => {
    const ticket = await makeTicket(harness.now, project);
    const viewer = await makeMember(harness.now, project, "viewer");
    const refused = await patch(ticket.path, { stage: "validation" }, { token: viewer.token });
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    const key = await makeKey(harness.now, project.admin);
    expect((await patch(ticket.path, { stage: "validation" }, { token: key.token })).status).toBe(200);
    const { body } = await send("GET", `${ticket.path}/history`);
    expect(body.history.at(-1).actor).toMatchObject({ kind: "key", id: project.admin.id, key_id: key.id });
  });
});
