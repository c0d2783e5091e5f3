import { describe, expect, test } from "vitest";
import { makeProject, makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { analyze, decide, embedding, INVOICE, list, stateOf, UPLOAD, UPLOAD_AGAIN } from "./world.ts";

const harness = useHarness(embedding);

/**
 * Closed tickets about uploads, which had the role backend, and one about invoices, which had
 * design.
 */
async function makePast(project: TestProject) {
  for (let n = 0; n < 4; n++) {
    const past = await makeTicket(harness.now, project, {
      ...UPLOAD,
      roles: n === 0 ? ["backend", "qa"] : ["backend"],
    });
    await harness.now.call("POST", `${project.path}/tickets/bulk`, {
      token: project.admin.token,
      body: { action: "close", ticket_ids: [past.id], skip_pending_roles: true },
    });
  }
  await makeTicket(harness.now, project, { ...INVOICE, roles: ["design"] });
}

async function read(project: TestProject, { path }: TestTicket) {
  return (await harness.now.call("GET", path, { token: project.admin.token })).body;
}

describe("a ticket without roles", () => {
  test("is suggested the role of the most alike past tickets, with their votes as evidence", async () => {
    const project = await makeProject(harness.now);
    await makePast(project);
    const ticket = await makeTicket(harness.now, project, UPLOAD_AGAIN);
    await analyze(harness.now);
    const roles = await list(harness.now, project, "kind=role");
    expect(roles).toMatchObject([{
      ticket_id: ticket.id,
      title: `Give ${ticket.ref} the role backend`,
      confidence: 1,
      evidence: {
        role: "backend",
        voters: 4,
        votes: [{ roles: expect.arrayContaining(["backend"]) }, {}, {}, {}],
      },
    }]);
    expect(roles[0]!.rationale).toMatch(/^4 of the 4 most alike past tickets had the role backend, such as /);

    const before = await stateOf(harness.now, ticket.id);
    const { version: bare } = await read(project, ticket);
    await decide(harness.now, project, roles[0]!, "accept");
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({
      roles: [{ role: "backend", status: "pending" }],
    });
    const { version: given } = await read(project, ticket);
    expect(given).toBeGreaterThan(bare);
    await decide(harness.now, project, roles[0]!, "undo");
    expect(await stateOf(harness.now, ticket.id)).toEqual(before);
    expect((await read(project, ticket)).version).toBeGreaterThan(given);
  });

  test("is suggested none by two past tickets, however alike", async () => {
    const project = await makeProject(harness.now);
    for (let n = 0; n < 2; n++) await makeTicket(harness.now, project, { ...UPLOAD, roles: ["backend"] });
    await makeTicket(harness.now, project, UPLOAD_AGAIN);
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=role")).toEqual([]);
  });

  test("and got the suggested one from somebody in between keeps that: accepting it is a conflict", async () => {
    const project = await makeProject(harness.now);
    await makePast(project);
    const ticket = await makeTicket(harness.now, project, UPLOAD_AGAIN);
    await analyze(harness.now);
    const [role] = await list(harness.now, project, "kind=role");
    const { token } = project.admin;
    await harness.now.call("PATCH", ticket.path, { token, body: { roles: ["backend"] } });
    const { status, body } = await decide(harness.now, project, role!, "accept");
    expect([status, body.error]).toEqual([409, `Ticket ${ticket.ref} has the role backend already`]);
  });

  test("and is closed in between gets none: accepting it is a conflict", async () => {
    const project = await makeProject(harness.now);
    await makePast(project);
    const ticket = await makeTicket(harness.now, project, UPLOAD_AGAIN);
    await analyze(harness.now);
    const [role] = await list(harness.now, project, "kind=role");
    await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { status: "closed" } });
    expect((await decide(harness.now, project, role!, "accept")).body.code).toBe("conflict");
    expect(await stateOf(harness.now, ticket.id)).toMatchObject({ roles: null });
  });

  test("keeps a suggested role that somebody has begun with", async () => {
    const project = await makeProject(harness.now);
    await makePast(project);
    const ticket = await makeTicket(harness.now, project, UPLOAD_AGAIN);
    await analyze(harness.now);
    const [role] = await list(harness.now, project, "kind=role");
    await decide(harness.now, project, role!, "accept");
    await harness.now.call("POST", `${ticket.path}/roles/backend/start`, {
      token: project.admin.token,
      body: {},
    });
    const { status, body } = await decide(harness.now, project, role!, "undo");
    expect([status, body.code]).toEqual([409, "conflict"]);
  });

  test("is suggested nothing when it resembles none, when it gets a role, or when the role is disabled", async () => {
    const project = await makeProject(harness.now);
    await makePast(project);
    await makeTicket(harness.now, project, {
      title: "Dark colours for night workers",
      description: "Screens glare in dim rooms, so ask for darker palettes.",
    });
    const ticket = await makeTicket(harness.now, project, UPLOAD_AGAIN);
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=role")).toHaveLength(1);
    await harness.now.call("PATCH", ticket.path, {
      token: project.admin.token,
      body: { roles: ["frontend"] },
    });
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=role")).toEqual([]);
    await harness.now.call("PUT", "/settings/roles", {
      token: project.admin.token,
      body: { roles: [{ role: "backend", enabled: false }] },
    });
    await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { roles: [] } });
    await analyze(harness.now);
    expect(await list(harness.now, project, "kind=role")).toEqual([]);
  });
});
