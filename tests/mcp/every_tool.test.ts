import { beforeAll, describe, expect, test } from "vitest";
import { Scope } from "../../src/core/schema.ts";
import { TOOLS } from "../../src/mcp/tools.ts";
import { publishedProcedures } from "../../src/http/procedures.ts";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestProject,
  type TestUser,
  useProject,
} from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";
import { type Sample, SAMPLES } from "./_samples.ts";

// These rules hold for every tool by the procedures that it names. A new tool is tested without
// being named here.
const harness = useHarness();
const project = useProject(harness);
const procedures = new Map(publishedProcedures().map((procedure) => [procedure.name, procedure]));

let sample: Sample;
let foreign: Sample;
let archived: Sample;

beforeAll(async () => {
  sample = await sampleOf(project);
  foreign = await sampleOf(await makeProject(harness.now));
  const old = await makeProject(harness.now, { admin: project.admin });
  archived = await sampleOf(old);
  await harness.now.call("DELETE", old.path, { token: project.admin.token });
});

async function sampleOf(owner: TestProject): Promise<Sample> {
  const { ref, path } = await makeTicket(harness.now, owner, { roles: ["backend"] });
  const { body } = await harness.now.call("POST", `${path}/tasks`, {
    token: owner.admin.token,
    body: { title: "First", role: "backend" },
  });
  return { project: owner.key, ticket: ref, taskId: body.id };
}

async function connect(user: TestUser, scopes?: string[]): Promise<Agent> {
  const { token } = await makeKey(harness.now, user, scopes ? { scopes } : {});
  return await Agent.connect(harness.now, token);
}

function scopesOf(tool: (typeof TOOLS)[number]): Scope[] {
  return tool.calls.flatMap((name) => procedures.get(name)!.meta.scope ?? []);
}

const writing = TOOLS.filter(({ calls }) => calls.some((name) => procedures.get(name)!.type === "mutation"));

test("there are at most 16 tools, and none of them approves, deletes or administrates", () => {
  expect(TOOLS.length).toBeLessThanOrEqual(16);
  const called = TOOLS.flatMap(({ calls, optional = [] }) => [...calls, ...optional]);
  for (const name of called) {
    const { meta } = procedures.get(name)!;
    expect(meta.method, name).not.toBe("DELETE");
    expect(meta.scope, name).not.toBe("admin");
    expect(name).not.toMatch(/approve|reject|\.answer$/);
  }
});

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
  test("has a sample, a short name and a short description", () => {
    expect(SAMPLES).toHaveProperty(name);
    expect(name.length).toBeLessThanOrEqual(40);
    expect(tool.description.length).toBeLessThanOrEqual(300);
  });

  test("refuses an unknown argument by its name", async () => {
    const agent = await connect(project.admin);
    const { isError, body } = await agent.call(name, { ...SAMPLES[name]!(sample), zzz: 1 });
    expect([isError, body.code, body.issues[0].path]).toEqual([true, "invalid_request", "zzz"]);
  });

  test("is neither shown to a key without its scopes nor run for it", async () => {
    for (const scope of new Set(scopesOf(tool))) {
      const agent = await connect(project.admin, Scope.options.filter((one) => one !== scope));
      const { tools } = await agent.client.listTools();
      expect(tools.map((tool) => tool.name)).not.toContain(name);
      const { isError, body } = await agent.call(name, SAMPLES[name]!(sample));
      expect([isError, body.code]).toEqual([true, "insufficient_scope"]);
    }
  });

  test("tells nothing of another account's project", async () => {
    const args = SAMPLES[name]!(foreign);
    if (Object.keys(args).length === 0) return;
    const agent = await connect(project.admin);
    const { isError, body } = await agent.call(name, args);
    expect([isError, body.code]).toEqual([true, "not_found"]);
    const unknown = JSON.parse(JSON.stringify(args).replaceAll(foreign.project, "NONE"));
    expect((await agent.call(name, unknown)).body.error.replaceAll("NONE", foreign.project)).toBe(body.error);
  });
});

describe.each(writing.map(({ name }) => name))("%s", (name) => {
  test("is refused to a viewer and in an archived project, as over REST", async () => {
    const viewer = await connect(await makeMember(harness.now, project, "viewer"));
    const refused = await viewer.call(name, SAMPLES[name]!(sample));
    expect([refused.isError, refused.body.code]).toEqual([true, "forbidden"]);
    const admin = await connect(project.admin);
    const late = await admin.call(name, SAMPLES[name]!(archived));
    expect([late.isError, late.body.code]).toEqual([true, "forbidden"]);
  });
});
