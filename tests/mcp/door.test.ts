import { beforeAll, describe, expect, test } from "vitest";
import { makeKey, makeProject, makeUser, useProject } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";
import { Agent } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);
let key: string;

beforeAll(async () => {
  key = (await makeKey(harness.now, project.admin)).token;
});

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

async function post(options: CallOptions = {}): Promise<Response> {
  return await harness.now.request("POST", "/mcp", {
    ...(options.raw === undefined && { body: CALL }),
    ...options,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...options.headers,
    },
  });
}

describe("a credential", () => {
  test.each([
    ["none", undefined],
    ["an unknown key", "hk_aaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbcccccc"],
    ["no key at all", "secret"],
  ])("%s is refused by HTTP, with a bare challenge", async (_, token) => {
    const response = await post(token === undefined ? {} : { token });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect((await response.json()).code).toBe("unauthenticated");
  });

  test("a person's session is refused: an agent never acts as a person", async () => {
    expect((await post({ token: project.admin.token })).status).toBe(401);
    expect((await post({ headers: { cookie: `session=${project.admin.token}` } })).status).toBe(401);
  });

  test("a revoked and an expired key are refused", async () => {
    const revoked = await makeKey(harness.now, project.admin);
    await harness.now.call("DELETE", `/keys/${revoked.id}`, { token: project.admin.token });
    expect((await post({ token: revoked.token })).status).toBe(401);
    const expired = await makeKey(harness.now, project.admin, { expiresAt: "2020-01-01T00:00:00.000Z" });
    expect((await post({ token: expired.token })).status).toBe(401);
  });

  test("no address tells of OAuth, which would make clients drop the key that they were given", async () => {
    for (
      const path of [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
      ]
    ) {
      const response = await harness.now.request("GET", path);
      expect([path, response.status]).toEqual([path, 404]);
      await response.body?.cancel();
    }
  });
});

describe("a request", () => {
  test("of a page of another origin is refused", async () => {
    expect((await post({ token: key, headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await post({ token: key, headers: { origin: "http://handoff.test" } })).status).toBe(200);
  });

  test("that is no JSON is refused, as is a longer one than any call may be", async () => {
    expect((await post({ token: key, raw: "{" })).status).toBe(400);
    expect((await post({ token: key, raw: `{"a":"${"x".repeat(300_000)}"}` })).status).toBe(413);
  });

  test("with several messages counts as so many calls, and is answered as a whole", async () => {
    const left = async (raw: string) => {
      const response = await post({ token: key, raw });
      const text = await response.text();
      return { calls: Number(/;r=(\d+);/.exec(response.headers.get("ratelimit")!)![1]), text };
    };
    const before = await left(JSON.stringify(CALL));
    const after = await left(JSON.stringify(Array.from({ length: 20 }, (_, at) => ({ ...CALL, id: at }))));
    expect(before.calls - after.calls).toBe(20);
    expect(after.text.match(/"id":\d+/g)).toHaveLength(20);
  });

  test("by another method is answered with the one that works", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await harness.now.request(method, "/mcp", { token: key });
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "POST"]);
      await response.body?.cancel();
    }
  });
});

describe("a tool call", () => {
  test("of a tool that does not exist is an error of the protocol", async () => {
    const agent = await Agent.connect(harness.now, key);
    await expect(agent.call("approve_test_case")).rejects.toMatchObject({ code: -32602 });
  });

  test("with wrong types names each of them", async () => {
    const agent = await Agent.connect(harness.now, key);
    const { isError, body } = await agent.call("find_tickets", {
      project: 7,
      limit: "many",
      blocking: "perhaps",
    });
    expect(isError).toBe(true);
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(["project", "blocking", "limit"]);
  });

  test("with NUL in a text is refused", async () => {
    const agent = await Agent.connect(harness.now, key);
    const { body } = await agent.call("find_tickets", { project: project.key, q: "a\0b" });
    expect(body.code).toBe("invalid_request");
  });

  test("by a key that exists in two accounts asks for a key of one project", async () => {
    const root = await makeUser(harness.now, { role: "super_admin" });
    const other = await makeProject(harness.now);
    await harness.now.call("POST", "/projects", {
      token: project.admin.token,
      body: { name: "Twin", key: other.key },
    });
    const { token } = await makeKey(harness.now, root);
    const agent = await Agent.connect(harness.now, token);
    const { body } = await agent.call("find_tickets", { project: other.key });
    expect(body).toMatchObject({ code: "invalid_request" });
    expect(body.error).toContain(other.key);
    const bound = await makeKey(harness.now, root, { projectId: other.id });
    const second = await Agent.connect(harness.now, bound.token);
    expect(await second.do("find_tickets", { project: other.key })).toEqual({ tickets: [] });
  });
});
