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
        { id: cases.id, ticket_ref: cases.ref, ok: false, stage: "backlog", status: "open" },
        { id: unknown, ticket_ref: null, ok: false, stage: null, status: null },
        { id: plain.id, ticket_ref: plain.ref, ok: true, stage: "live", status: "closed" },
        { id: foreign, ticket_ref: null, ok: false, stage: null, status: null },
        { id: roles.id, ticket_ref: roles.ref, ok: false, stage: "backlog", status: "open" },
        { id: moved.id, ticket_ref: moved.ref, ok: true, stage: "live", status: "closed" },
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
    ] as const;
    for (const [body, field] of wrong) {
      const answer = await bulk(body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)], JSON.stringify(body)).toEqual([400, [
        field,
      ]]);
    }
    expect((await read(ticket)).version).toBe(1);
  });

  test("takes 100 different tickets however often they are named", async () => {
    const ids = Array.from({ length: 100 }, () => uuid());
    const { status, body } = await bulk({ action: "close", ticket_ids: [...ids, ...ids] });
    expect([status, body.updated, body.errors.length, body.results.length]).toEqual([200, 0, 100, 100]);
  });
});
