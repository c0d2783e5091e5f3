import { beforeAll, describe, expect, test } from "vitest";
import { v7 as uuid } from "uuid";
import { behindLock } from "../behind_lock.ts";
import { makeKey, makeProject, makeTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { list } from "./world.ts";

const harness = useHarness();
const project = useProject(harness);
let ticketId: string;

async function insert(
  fields: { kind?: string; status?: string; confidence?: number; evidence?: unknown } = {},
) {
  const { kind = "stale", status = "pending", confidence = 0.5, evidence = {} } = fields;
  const id = uuid();
  await harness.now.sql`
    insert into suggestions (id, project_id, kind, status, ticket_id, title, rationale, confidence, evidence, fingerprint, decided_at)
    values (${id}::uuid, ${project.id}::uuid, ${kind}, ${status}, ${ticketId}::uuid, 'A title', 'A reason.', ${confidence},
      ${JSON.stringify(evidence)}::text::jsonb, ${id}, ${
    status === "pending" ? null : harness.now.sql`now()`
  })`;
  return id;
}

beforeAll(async () => {
  ticketId = (await makeTicket(harness.now, project)).id;
  for (let n = 0; n < 25; n++) await insert({ confidence: (n * 7 % 25) / 100 });
  await insert({ status: "executed", kind: "close", confidence: 1 });
  await insert({ status: "dismissed" });
});

describe("the list of suggestions", () => {
  test("holds 20 pending ones by default, surest first, and counts this answer only", async () => {
    const { body } = await harness.now.call("GET", `${project.path}/ai-suggestions`, {
      token: project.admin.token,
    });
    expect(body.count).toBe(20);
    expect(body.suggestions).toHaveLength(20);
    expect(body.suggestions[0]).toEqual({
      id: expect.any(String),
      kind: "stale",
      status: "pending",
      title: "A title",
      rationale: "A reason.",
      confidence: 0.24,
      ticket_id: ticketId,
      evidence: {},
      created_at: expect.stringMatching(/Z$/),
      decided_at: null,
      decided_by: null,
    });
    expect(body.suggestions.at(-1).confidence).toBe(0.05);
  });

  test("takes a limit of 1 to 100 and a status", async () => {
    const count = async (query: string) =>
      (await harness.now.call("GET", `${project.path}/ai-suggestions?${query}`, {
        token: project.admin.token,
      })).body.count;
    expect(await count("limit=1")).toBe(1);
    expect(await count("limit=100")).toBe(25);
    expect(await count("limit=100&status=all")).toBe(27);
    expect(await count("status=executed")).toBe(1);
    expect(await count("status=accepted")).toBe(0);
    expect(await count("status=all&kind=close")).toBe(1);
    expect(await count(`limit=100&ticket_id=${ticketId}`)).toBe(25);
    expect(await count(`ticket_id=${uuid()}`)).toBe(0);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=many", "limit"],
    ["limit=", "limit"],
    ["limit=1&limit=2", "limit"],
    ["status=open", "status"],
    ["status=", "status"],
    ["status=PENDING", "status"],
    ["kind=gut-feeling", "kind"],
    ["page=2", "page"],
  ])("refuses %s and names the field", async (query, field) => {
    const { status, body } = await harness.now.call("GET", `${project.path}/ai-suggestions?${query}`, {
      token: project.admin.token,
    });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(Object.keys(body.fieldErrors)).toEqual([field]);
  });

  test("leaves out roles that the account has switched off", async () => {
    const id = await insert({ kind: "role", evidence: { role: "design" } });
    const shown = async () =>
      (await list(harness.now, project, "kind=role")).map((suggestion) => suggestion.id);
    expect(await shown()).toEqual([id]);
    const put = (enabled: boolean) =>
      harness.now.call("PUT", "/settings/roles", {
        token: project.admin.token,
        body: { roles: [{ role: "design", enabled }] },
      });
    await put(false);
    expect(await shown()).toEqual([]);
    const refused = await harness.now.call("POST", `${project.path}/ai-suggestions/${id}/accept`, {
      token: project.admin.token,
    });
    expect([refused.status, refused.body.code]).toEqual([409, "conflict"]);
    await put(true);
    expect(await shown()).toEqual([id]);
  });

  test("is read by keys with suggestions:read and decided by keys with suggestions:write", async () => {
    const reader = await makeKey(harness.now, project.admin, { scopes: ["suggestions:read"] });
    const writer = await makeKey(harness.now, project.admin, { scopes: ["suggestions:write"] });
    const id = await insert();
    const path = `${project.path}/ai-suggestions`;
    expect((await harness.now.call("GET", path, { token: reader.token })).status).toBe(200);
    expect((await harness.now.call("GET", path, { token: writer.token })).body.code).toBe(
      "insufficient_scope",
    );
    const dismiss = (token: string) => harness.now.call("POST", `${path}/${id}/dismiss`, { token });
    expect((await dismiss(reader.token)).body.code).toBe("insufficient_scope");
    expect((await dismiss(writer.token)).body.status).toBe("dismissed");
  });
});

describe("deciding", () => {
  test.each(["accept", "dismiss", "undo"])(
    "%s of an unknown suggestion, or of another project's, is not found",
    async (verb) => {
      const other = await makeProject(harness.now);
      const id = await insert();
      const unknown = await harness.now.call("POST", `${project.path}/ai-suggestions/${uuid()}/${verb}`, {
        token: project.admin.token,
      });
      const foreign = await harness.now.call("POST", `${other.path}/ai-suggestions/${id}/${verb}`, {
        token: other.admin.token,
      });
      expect([unknown.status, foreign.status]).toEqual([404, 404]);
    },
  );

  test("a dismissal can be taken back; what is pending or expired has nothing to undo", async () => {
    const id = await insert();
    const decide = (verb: string, suggestion = id) =>
      harness.now.call("POST", `${project.path}/ai-suggestions/${suggestion}/${verb}`, {
        token: project.admin.token,
      });
    expect((await decide("undo")).body.code).toBe("invalid_transition");
    expect((await decide("dismiss")).body.decided_by).toBe(project.admin.id);
    expect((await decide("dismiss")).status).toBe(200);
    expect((await decide("accept")).body.error).toBe("Cannot accept the suggestion: it is dismissed");
    expect((await decide("undo")).body).toMatchObject({
      status: "pending",
      decided_at: null,
      decided_by: null,
    });
    expect((await decide("undo", await insert({ status: "expired" }))).status).toBe(409);
  });

  test("what expires while it is being decided stays expired", async () => {
    const id = await insert();
    const [answer] = await behindLock(
      harness.now,
      (tx) => tx`update suggestions set status = 'expired', decided_at = now() where id = ${id}::uuid`,
      () =>
        harness.now.call("POST", `${project.path}/ai-suggestions/${id}/dismiss`, {
          token: project.admin.token,
        }),
    );
    expect([answer!.status, answer!.body.code]).toEqual([409, "invalid_transition"]);
    const [row] = await harness.now.sql`select status from suggestions where id = ${id}::uuid`;
    expect(row).toEqual({ status: "expired" });
  });

  test("a dismissal stands once the ticket is closed, for nothing would ever withdraw the suggestion", async () => {
    const id = await insert();
    const undo = () =>
      harness.now.call("POST", `${project.path}/ai-suggestions/${id}/undo`, { token: project.admin.token });
    await harness.now.call("POST", `${project.path}/ai-suggestions/${id}/dismiss`, {
      token: project.admin.token,
    });
    const ticketPath = `${project.path}/tickets/${ticketId}`;
    await harness.now.call("PATCH", ticketPath, { token: project.admin.token, body: { status: "closed" } });
    expect((await undo()).body.code).toBe("conflict");
    await harness.now.call("PATCH", ticketPath, { token: project.admin.token, body: { stage: "backlog" } });
    expect((await undo()).body.status).toBe("pending");
  });
});
