import { beforeAll, describe, expect, test } from "vitest";
import { makeKey, makeMember, makeProject, makeTicket, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;
let key: { token: string };
let bot: { token: string };

beforeAll(async () => {
  project = await makeProject(harness.now);
  key = await makeKey(harness.now, project.admin);
  bot = await makeMember(harness.now, project, "admin", "bot");
});

function call(method: string, path: string, { token }: { token: string }, body?: Record<string, unknown>) {
  return harness.now.call(method, path, { token, body });
}

const setClosing = async (closing: string) =>
  expect((await call("PATCH", project.path, project.admin, { closing })).body.closing).toBe(closing);

describe("where only people close", () => {
  beforeAll(() => setClosing("people"));

  test("an agent brings a ticket to validation at most, by every door, and a person closes it", async () => {
    const ticket = await makeTicket(harness.now, project);
    for (const agent of [key, bot]) {
      for (
        const body of [{ stage: "live" }, { status: "closed" }, {
          status: "closed",
          resolution_type: "wont_fix",
        }]
      ) {
        const refused = await call("PATCH", ticket.path, agent, body);
        expect([refused.status, refused.body.code]).toEqual([409, "people_close"]);
      }
      const bulk = { action: "close", ticket_ids: [ticket.id] };
      expect((await call("POST", `${project.path}/tickets/bulk`, agent, bulk)).body).toMatchObject({
        updated: 0,
        errors: [{ id: ticket.id, code: "people_close" }],
      });
      expect((await call("PATCH", ticket.path, agent, { stage: "validation" })).body.stage).toBe(
        "validation",
      );
    }
    expect((await call("PATCH", ticket.path, project.admin, { stage: "live" })).body.status).toBe("closed");
  });

  test("a deploy still closes", async () => {
    const ticket = await makeTicket(harness.now, project);
    await call("PATCH", ticket.path, key, { merge_sha: "a".repeat(40) });
    await harness.now.run("sweep-merged-tickets");
    expect((await call("GET", ticket.path, key)).body.status).toBe("closed");
  });
});

describe("where anyone closes", () => {
  beforeAll(() => setClosing("anyone"));

  test("an agent learns which tasks it left unfinished, and a person is not asked", async () => {
    for (const [caller, isTold] of [[key, true], [project.admin, false]] as const) {
      const ticket = await makeTicket(harness.now, project);
      const { id } = (await call("POST", `${ticket.path}/tasks`, key, { title: "Left", role: "qa" })).body;
      const { body } = await call("PATCH", ticket.path, caller, { stage: "live" });
      expect(body.status).toBe("closed");
      const left = [{ id, name: `${ticket.ref}/1`, title: "Left", status: "pending" }];
      expect(body.unfinished_tasks).toEqual(isTold ? left : undefined);
      const other = await makeTicket(harness.now, project);
      await call("POST", `${other.path}/tasks`, key, { title: "Left", role: "qa" });
      const bulk = { action: "close", ticket_ids: [other.id] };
      const { results: [result] } = (await call("POST", `${project.path}/tickets/bulk`, caller, bulk)).body;
      expect([result.ok, result.unfinished_tasks?.length]).toEqual([true, isTold ? 1 : undefined]);
    }
  });

  test("an agent doesn't remove all roles of a ticket, and a person may", async () => {
    const ticket = await makeTicket(harness.now, project, { roles: ["backend", "qa"] });
    for (const roles of [[], null]) {
      const { status, body } = await call("PATCH", ticket.path, key, { roles });
      expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["roles"]]);
    }
    expect((await call("PATCH", ticket.path, key, { roles: ["qa"] })).status).toBe(200);
    expect((await call("PATCH", ticket.path, project.admin, { roles: [] })).body.roles).toEqual([]);
  });
});
