import { describe, expect, test } from "vitest";
import { makeProject, makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);

function change(path: string, role: string, action: string, headers: Record<string, string> = {}) {
  return harness.now.call("POST", `${path}/roles/${role}/${action}`, { token: project.admin.token, headers });
}

describe("a role of a ticket", () => {
  test("is started, finished, reopened and skipped, and the ticket's version follows", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa", "design"] });
    const steps = [
      ["start", "in_progress"],
      ["finish", "done"],
      ["reopen", "pending"],
      ["skip", "skipped"],
      ["reopen", "pending"],
      ["start", "in_progress"],
      ["skip", "skipped"],
    ] as const;
    for (const [index, [action, state]] of steps.entries()) {
      const { status, body, headers } = await change(ticket.path, "qa", action);
      expect(status).toBe(200);
      expect(body.roles).toEqual([{ role: "design", status: "pending" }, { role: "qa", status: state }]);
      expect(headers.get("etag")).toBe(`"${index + 2}"`);
    }
  });

  test("goes with all others when the ticket's roles become null", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa", "design"] });
    const options = { token: project.admin.token, body: { roles: null } };
    expect((await harness.now.call("PATCH", ticket.path, options)).body).toMatchObject({
      roles: [],
      version: 2,
    });
    expect((await harness.now.call("PATCH", ticket.path, options)).body.version).toBe(2);
  });

  test("stays as it is when it stands there already", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    const first = await change(ticket.path, "qa", "finish");
    const second = await change(ticket.path, "qa", "finish");
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  test("refuses what its state doesn't allow", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    await change(ticket.path, "qa", "finish");
    for (const action of ["start", "skip"]) {
      const { status, body } = await change(ticket.path, "qa", action);
      expect([status, body.code]).toEqual([409, "invalid_transition"]);
      expect(body.error).toBe(`Cannot ${action} role qa of ticket ${ticket.ref}: it is done`);
    }
  });

  test("is 404 when the ticket hasn't it, and 400 when there is no such role", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    expect((await change(ticket.path, "design", "start")).status).toBe(404);
    expect((await change(ticket.path, "boss", "start")).body.fieldErrors).toHaveProperty("role");
    expect((await change(ticket.path, "qa", "delete")).status).toBe(404);
  });

  test("can't be reopened behind a closed ticket", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    await change(ticket.path, "qa", "finish");
    await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { stage: "live" } });
    const { status, body } = await change(ticket.path, "qa", "reopen");
    expect([status, body.code]).toEqual([409, "conflict"]);
    expect(body.error).toContain(`ticket ${ticket.ref}: it is closed`);
  });

  test("honours If-Match", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["qa"] });
    const stale = await change(ticket.path, "qa", "start", { "If-Match": '"2"' });
    expect([stale.status, stale.body.details.current.version]).toEqual([412, 1]);
    expect((await change(ticket.path, "qa", "start", { "If-Match": '"1"' })).status).toBe(200);
  });

  test("that was switched off after it was given may be ended but not be taken up", async () => {
    const other = await makeProject(harness.now);
    const ticket = await makeTicket(harness.now, other, { roles: ["qa"] });
    await harness.now.sql`update accounts set disabled_roles = '{qa}' where id = ${other.accountId}::uuid`;
    harness.now.services.access.clear();
    const call = (action: string) =>
      harness.now.call("POST", `${ticket.path}/roles/qa/${action}`, { token: other.admin.token });
    const refused = await call("start");
    expect([refused.status, Object.keys(refused.body.fieldErrors)]).toEqual([400, ["role"]]);
    expect((await call("skip")).status).toBe(200);
    expect((await call("reopen")).status).toBe(400);
    // A closed ticket must be opened first, with any roles.
    await harness.now.call("PATCH", ticket.path, { token: other.admin.token, body: { stage: "live" } });
    const closed = await call("reopen");
    expect([closed.status, closed.body.code]).toEqual([409, "conflict"]);
  });
});
