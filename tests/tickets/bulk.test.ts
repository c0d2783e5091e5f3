import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  type TestTicket,
  useProject,
} from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

function bulk(body: Record<string, unknown>, token = project.admin.token) {
  return harness.now.call("POST", `${project.path}/tickets/bulk`, { token, body });
}

async function read(ticket: TestTicket) {
  return (await harness.now.call("GET", ticket.path, { token: project.admin.token })).body;
}

async function historyOf(ticket: TestTicket) {
  return (await harness.now.call("GET", `${ticket.path}/history`, { token: project.admin.token })).body
    .history;
}

async function withCase() {
  const ticket = await makeTicket(harness.now, project);
  const { body } = await harness.now.call("POST", `${ticket.path}/test-cases`, {
    token: project.admin.token,
    body: { title: "Try it", instruction: "Open the page and look." },
  });
  return { ...ticket, caseId: body.id as string };
}

/** The versions that a call has left, in the form of a call that expects them. */
function versionsOf(results: { id: string; version: number }[]): Record<string, number> {
  return Object.fromEntries(results.map(({ id, version }) => [id, version]));
}

describe("bulk", () => {
  test("tells the truth about each ticket, and the totals add up to the different ids", async () => {
    const other = await makeProject(harness.now);
    const [plain, moved, roles, cases] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project, { roles: ["qa"] }),
      await withCase(),
    ];
    const [unknown, foreign] = [uuid(), (await makeTicket(harness.now, other)).id];
    await bulk({ action: "close", stage: "live", ticket_ids: [moved.id] });
    const closedAt = (await read(moved)).closed_at;
    const ids = [cases.id, unknown, plain.id, foreign, roles.id, moved.id, plain.id.toUpperCase(), unknown];
    const { status, body } = await bulk({ action: "close", ticket_ids: ids });
    expect(status).toBe(200);
    expect(body).toEqual({
      updated: 2,
      errors: [
        {
          id: cases.id,
          code: "human_tests_pending",
          error: `Cannot close ticket ${cases.ref}: 1 human test case is not approved`,
        },
        { id: unknown, code: "not_found", error: "No such ticket in this project" },
        { id: foreign, code: "not_found", error: "No such ticket in this project" },
        {
          id: roles.id,
          code: "roles_incomplete",
          error: `Cannot close ticket ${roles.ref}: 1 role is unfinished (qa)`,
        },
      ],
      results: [
        { id: cases.id, ticket_ref: cases.ref, ok: false, stage: "backlog", status: "open", version: 1 },
        { id: unknown, ticket_ref: null, ok: false, stage: null, status: null, version: null },
        { id: plain.id, ticket_ref: plain.ref, ok: true, stage: "live", status: "closed", version: 2 },
        { id: foreign, ticket_ref: null, ok: false, stage: null, status: null, version: null },
        { id: roles.id, ticket_ref: roles.ref, ok: false, stage: "backlog", status: "open", version: 1 },
        { id: moved.id, ticket_ref: moved.ref, ok: true, stage: "live", status: "closed", version: 2 },
      ],
    });
    expect(await read(moved)).toMatchObject({ closed_at: closedAt, version: 2 });
  });

  test("moves between stages, reopens, and closes by a move to live with its resolution", async () => {
    const tickets = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
    const ticket_ids = tickets.map(({ id }) => id);
    await bulk({ action: "move", ticket_ids, stage: "validation" });
    expect(await read(tickets[0]!)).toMatchObject({ stage: "validation", status: "open" });
    const resolution = { resolution_type: "already_done", resolution_note: "Seen in 2.1" };
    await bulk({ action: "move", ticket_ids, stage: "live", ...resolution });
    expect(await read(tickets[1]!)).toMatchObject({ stage: "live", status: "closed", ...resolution });
    // Only a closing has a resolution: an open ticket has none.
    const { body } = await bulk({ action: "move", ticket_ids, stage: "up_next", ...resolution });
    expect(body.updated).toBe(2);
    expect(await read(tickets[1]!)).toMatchObject({
      stage: "up_next",
      status: "open",
      resolution_type: null,
      resolution_note: null,
      closed_at: null,
    });
  });

  test("skip_pending_roles sets unfinished roles to skipped, and history names each", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa", "design", "backend"] });
    await harness.now.call("POST", `${ticket.path}/roles/qa/finish`, { token: project.admin.token });
    const { body } = await bulk({ action: "close", ticket_ids: [ticket.id], skip_pending_roles: true });
    expect(body.updated).toBe(1);
    expect((await read(ticket)).roles).toEqual([
      { role: "backend", status: "skipped" },
      { role: "design", status: "skipped" },
      { role: "qa", status: "done" },
    ]);
    const skipped = (await historyOf(ticket)).filter((row: { to: unknown }) => row.to === "skipped");
    expect(skipped.map((row: { entity_id: string }) => row.entity_id).sort()).toEqual(["backend", "design"]);
  });

  test("skip_human_test_gate is for admins, who are written down with the cases they stepped over", async () => {
    const [ticket, free] = [await withCase(), await makeTicket(harness.now, project)];
    // No gate guards another stage, or a ticket without test cases, so there is nothing to skip.
    for (const to of [{ action: "move", stage: "validation" }, { action: "close" }]) {
      const { body } = await bulk({ ...to, ticket_ids: [ticket.id, free.id], skip_human_test_gate: true });
      expect(body.updated).toBe(2);
    }
    const [bypass, ...more] = [...await historyOf(ticket), ...await historyOf(free)].filter(({ action }) =>
      action === "human_test_gate_skipped"
    );
    expect(more).toEqual([]);
    expect(bypass).toMatchObject({
      entity: "ticket",
      entity_id: ticket.id,
      field: null,
      actor: { kind: "user", id: project.admin.id },
      to: { cases: [{ id: ticket.caseId, title: "Try it" }] },
    });
    const audit = await harness.now.call("GET", "/admin/audit?action=ticket.human_test_gate_skipped", {
      token: project.admin.token,
    });
    expect(audit.body.audit[0].details.tickets).toMatchObject([{ id: ticket.id, ticket_ref: ticket.ref }]);
  });

  test("skip_human_test_gate by anyone else is forbidden for the whole call, and nothing changes", async () => {
    const [gated, free] = [await withCase(), await makeTicket(harness.now, project)];
    const [member, admin, bot] = [
      await makeMember(harness.now, project, "member"),
      await makeMember(harness.now, project, "admin"),
      await makeMember(harness.now, project, "admin", "bot"),
    ];
    const key = await makeKey(harness.now, project.admin);
    const superAdmin = await makeUser(harness.now, { role: "super_admin" });
    const body = { action: "close", ticket_ids: [gated.id, free.id], skip_human_test_gate: true };
    for (const token of [member.token, bot.token, key.token]) {
      const refused = await bulk(body, token);
      expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    }
    expect((await read(free)).status).toBe("open");
    expect((await bulk(body, admin.token)).body.updated).toBe(2);
    await bulk({ action: "move", ticket_ids: [gated.id], stage: "backlog" });
    expect((await bulk(body, superAdmin.token)).body.updated).toBe(2);
  });

  test("dry_run answers the same and changes nothing", async () => {
    const [plain, roles, cases] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project, { roles: ["qa"] }),
      await withCase(),
    ];
    const before = await Promise.all([plain, roles, cases].map(read));
    const body = {
      action: "close",
      ticket_ids: [plain.id, roles.id, cases.id, uuid()],
      skip_pending_roles: true,
    };
    const dry = await bulk({ ...body, dry_run: true });
    expect(await Promise.all([plain, roles, cases].map(read))).toEqual(before);
    const wet = await bulk(body);
    expect(dry.body).toEqual(wet.body);
    expect(wet.body.updated).toBe(2);
  });

  test("refuses what contradicts itself or is too much, naming the field, and changes nothing", async () => {
    const ticket = await makeTicket(harness.now, project);
    const ticket_ids = [ticket.id];
    const wrong = [
      [{ action: "move", ticket_ids }, "stage"],
      [{ action: "move", ticket_ids, stage: "done" }, "stage"],
      [{ action: "close", ticket_ids, stage: "validation" }, "stage"],
      [{ action: "reopen", ticket_ids }, "action"],
      [{ ticket_ids, stage: "live" }, "action"],
      [{ action: "close" }, "ticket_ids"],
      [{ action: "close", ticket_ids: [] }, "ticket_ids"],
      [{ action: "close", ticket_ids: [ticket.id, project.key] }, "ticket_ids.1"],
      [
        { action: "close", ticket_ids: [ticket.id, ...Array.from({ length: 100 }, () => uuid())] },
        "ticket_ids",
      ],
      [{ action: "close", ticket_ids: Array(1001).fill(ticket.id) }, "ticket_ids"],
      [{ action: "close", ticket_ids, resolution_type: "fixed" }, "resolution_type"],
      [{ action: "close", ticket_ids, resolution_note: "x".repeat(5001) }, "resolution_note"],
      [{ action: "close", ticket_ids, skip_pending_roles: "yes" }, "skip_pending_roles"],
      [{ action: "close", ticket_ids, force: true }, "force"],
      [{ action: "close", ticket_ids, versions: { [ticket.id]: "1" } }, `versions.${ticket.id}`],
      [{ action: "close", ticket_ids, versions: { [ticket.id]: 0 } }, `versions.${ticket.id}`],
      [{ action: "close", ticket_ids, versions: { [ticket.ref]: 1 } }, `versions.${ticket.ref}`],
      [
        {
          action: "close",
          ticket_ids,
          versions: Object.fromEntries(Array.from({ length: 1001 }, () => [uuid(), 1])),
        },
        "versions",
      ],
    ] as const;
    for (const [body, field] of wrong) {
      const answer = await bulk(body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)], JSON.stringify(body)).toEqual([400, [
        field,
      ]]);
    }
    expect((await read(ticket)).version).toBe(1);
  });

  test("names the version that it leaves, under which a second call takes it back, but nobody else's change", async () => {
    const [moved, closed, touched] = [
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project, { roles: ["qa"] }),
      await withCase(),
    ];
    const tickets = [moved, closed, touched];
    const ticket_ids = tickets.map(({ id }) => id);
    const close = {
      action: "close",
      ticket_ids,
      skip_pending_roles: true,
      skip_human_test_gate: true,
      resolution_type: "duplicate",
      duplicate_of: (await makeTicket(harness.now, project)).ref,
    };
    const { body: { results } } = await bulk(close);
    const versions = versionsOf(results);
    expect((await Promise.all(tickets.map(read))).map(({ version }) => version)).toEqual(
      ticket_ids.map((id) => versions[id]),
    );
    await harness.now.call("PATCH", touched.path, {
      token: project.admin.token,
      body: { title: "Not this" },
    });
    const back = { action: "move", stage: "up_next", ticket_ids, versions };
    const dry = await bulk({ ...back, dry_run: true });
    const wet = await bulk(back);
    expect(wet.body).toEqual(dry.body);
    expect(wet.body).toMatchObject({
      updated: 2,
      errors: [{
        id: touched.id,
        code: "version_conflict",
        error: `Ticket ${touched.ref} has version 3, and the call expects 2`,
      }],
      results: [{ ok: true, version: 3 }, { ok: true, version: 3 }, {
        ok: false,
        stage: "live",
        version: 3,
      }],
    });
    expect(await read(moved)).toMatchObject({ stage: "up_next", version: 3 });
    expect(await read(touched)).toMatchObject({ stage: "live", title: "Not this" });
    // A second undo takes nothing back.
    const again = await bulk({ ...back, stage: "backlog" });
    expect([again.body.updated, again.body.errors.length]).toEqual([0, 3]);
    // The versions may name more tickets than the call, and fewer.
    const rest = await bulk({
      action: "move",
      stage: "backlog",
      ticket_ids: [moved.ref, touched.id],
      versions: { [moved.id.toUpperCase()]: 3, [uuid()]: 1 },
    });
    expect(rest.body.updated).toBe(2);
  });

  test("of two who take the same back at the same moment, each ticket follows one", async () => {
    const ticket_ids = await Promise.all(
      Array.from({ length: 10 }, async () => (await makeTicket(harness.now, project)).id),
    );
    const { body: { results } } = await bulk({ action: "move", stage: "in_progress", ticket_ids });
    const versions = versionsOf(results);
    const answers = await Promise.all(
      ["backlog", "up_next"].map((stage, at) =>
        bulk({
          action: "move",
          stage,
          ticket_ids: at === 0 ? ticket_ids : ticket_ids.toReversed(),
          versions,
        })
      ),
    );
    expect(answers.map(({ body }) => body.updated).reduce((sum, one) => sum + one)).toBe(10);
    for (const { body } of answers) {
      expect(new Set(body.errors.map(({ code }: { code: string }) => code)).isSubsetOf(
        new Set([
          "version_conflict",
        ]),
      )).toBe(true);
    }
  });

  test("closes a parent with its children in any order, and keeps it open with a child that is refused", async () => {
    const parent = await makeTicket(harness.now, project);
    const [middle, other] = [
      await makeTicket(harness.now, project, { parent_id: parent.id }),
      await makeTicket(harness.now, project, { parent_id: parent.id, roles: ["qa"] }),
    ];
    const leaf = await makeTicket(harness.now, project, { parent_id: middle.id });
    for (const family of [[parent, middle, other, leaf], [leaf, other, middle, parent]]) {
      const close = { action: "close", ticket_ids: family.map(({ id }) => id) };
      const refused = await bulk(close);
      expect(refused.body.updated).toBe(2);
      expect(new Map(refused.body.errors.map(({ id, code }: { id: string; code: string }) => [id, code])))
        .toEqual(new Map([[other.id, "roles_incomplete"], [parent.id, "children_open"]]));
      const { error } = refused.body.errors.find(({ id }: { id: string }) => id === parent.id);
      expect(error).toBe(`Cannot close ticket ${parent.ref}: 1 child is open`);
      expect(await read(parent)).toMatchObject({ status: "open", children: { open: 1, total: 2 } });
      await bulk({ action: "move", stage: "backlog", ticket_ids: [leaf.id, middle.id] });
      const all = { ...close, skip_pending_roles: true };
      const dry = await bulk({ ...all, dry_run: true });
      const wet = await bulk(all);
      expect(wet.body).toEqual(dry.body);
      expect([wet.body.updated, wet.body.errors]).toEqual([4, []]);
      expect(await read(parent)).toMatchObject({ status: "closed", children: { open: 0, total: 2 } });
      await bulk({ action: "move", stage: "backlog", ticket_ids: close.ticket_ids });
      await harness.now.call("POST", `${other.path}/roles/qa/reopen`, { token: project.admin.token });
    }
    // Nobody passed an open child over, so the history names none.
    const whole = { ticket_ids: [parent, middle, other, leaf].map(({ id }) => id), skip_pending_roles: true };
    await bulk({ action: "close", ...whole, skip_open_children: true });
    expect((await historyOf(parent)).map(({ action }: { action: string }) => action)).not.toContain(
      "open_children_skipped",
    );
  });

  test("takes 100 different tickets however often they are named", async () => {
    const ids = Array.from({ length: 100 }, () => uuid());
    const { status, body } = await bulk({ action: "close", ticket_ids: [...ids, ...ids] });
    expect([status, body.updated, body.errors.length, body.results.length]).toEqual([200, 0, 100, 100]);
  });
});
