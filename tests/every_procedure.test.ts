import { beforeAll, describe, expect, test } from "vitest";
import { SignJWT } from "jose";
import { v7 as uuid } from "uuid";
import { Scope } from "../src/core/schema.ts";
import { type PublishedProcedure, publishedProcedures } from "../src/http/procedures.ts";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  type TestProject,
  type TestUser,
  useProject,
} from "./factories.ts";
import { type CallOptions, useHarness } from "./harness.ts";

// These rules hold for every procedure by its meta alone. A new procedure is tested without being
// named here.
const harness = useHarness();
const project = useProject(harness);
const procedures = publishedProcedures();
const guarded = procedures.filter(({ meta }) => meta.access !== "public");
const inProject = guarded.filter(({ meta }) => ["viewer", "member", "project_admin"].includes(meta.access));

let archived: TestProject;
let stranger: TestUser;

beforeAll(async () => {
  archived = await makeProject(harness.now, { admin: project.admin });
  await harness.now.call("DELETE", archived.path, { token: project.admin.token });
  stranger = await makeUser(harness.now, { role: "admin" });
});

/**
 * A call with well-formed but unknown ids and an empty body, which is refused before ids or body
 * matter.
 */
function attempt({ meta }: PublishedProcedure, options: CallOptions, projectId: string = project.id) {
  const path = meta.path.replace("{id}", projectId).replace(/\{role\}/, "qa").replace(/\{\w+\}/g, uuid());
  return harness.now.call(meta.method, path, meta.method === "GET" ? options : { body: {}, ...options });
}

/** Where the session cookie is the only credential, a bearer credential counts as none. */
function asCookie({ meta }: PublishedProcedure, token: string): CallOptions {
  return meta.cookieOnly ? { headers: { cookie: `session=${token}` } } : { token };
}

test("every procedure is published under a method, a path and an output of its own", () => {
  const paths = procedures.map(({ meta }) => `${meta.method} ${meta.path}`);
  expect(new Set(paths).size).toBe(paths.length);
  for (const { name, type, meta } of procedures) {
    expect(meta.summary, name).not.toBe("");
    if (meta.method === "GET") expect(type, name).toBe("query");
    else if (meta.method !== "POST") expect(type, name).toBe("mutation");
    const projectLevel = inProject.some((one) => one.name === name);
    if (meta.path.startsWith("/projects/{id}")) expect(projectLevel, `${name} names a project`).toBe(true);
    if (meta.access !== "public" && meta.scope === undefined) expect(KEYLESS, name).toContain(meta.tag);
  }
});

/** These calls change only the notifications of their caller. */
const OWN = ["watch.put", "watch.remove"];

test("every procedure that changes something in a project asks for more than reading does", () => {
  for (const { name, type, meta } of inProject) {
    if (type !== "mutation" || OWN.includes(name)) continue;
    expect(meta.access, name).not.toBe("viewer");
    expect(meta.scope, name).toMatch(/^admin$|:write$/);
  }
});

test("every procedure asks a key for the scope of what its path names", () => {
  for (const { name, meta } of inProject) {
    expect(meta.scope?.startsWith("tasks:"), name).toBe(meta.path.includes("/tasks"));
    expect(meta.scope?.startsWith("suggestions:"), name).toBe(meta.path.includes("/ai-suggestions"));
  }
});

test("every procedure for admins asks a key for what admins do", () => {
  for (const { name, meta } of guarded) {
    if (meta.access.includes("admin")) expect(meta.scope, name).toBe("admin");
  }
});

/** Tags with procedures that refuse API keys on purpose. */
const KEYLESS = ["Authentication", "API keys", "Code hosting"];

describe.each(guarded.map((procedure) => [procedure.name, procedure] as const))("%s", (_, procedure) => {
  test("refuses a call without a credential", async () => {
    const { status, body } = await attempt(procedure, {});
    expect([status, body.code]).toEqual([401, "unauthenticated"]);
  });

  test("refuses an expired token and a forged one", async () => {
    const [key] = harness.now.services.secrets.auth;
    const claims = new SignJWT({ sid: stranger.sessionId }).setSubject(stranger.id).setIssuedAt(1)
      .setExpirationTime(2)
      .setProtectedHeader({ alg: "HS256", kid: key.id });
    const expired = await attempt(procedure, asCookie(procedure, await claims.sign(key.bytes)));
    expect([expired.status, expired.body.code]).toEqual([401, "token_expired"]);
    const forged = await attempt(procedure, asCookie(procedure, await claims.sign(new Uint8Array(32))));
    expect([forged.status, forged.body.code]).toEqual([401, "unauthenticated"]);
  });

  test("refuses an API key without its scope", async () => {
    const { scope } = procedure.meta;
    const key = await makeKey(harness.now, project.admin, {
      scopes: Scope.options.filter((one) => one !== scope),
    });
    const { status, body } = await attempt(procedure, { token: key.token });
    expect([status, body.code]).toEqual(
      procedure.meta.cookieOnly ? [401, "unauthenticated"] : [403, "insufficient_scope"],
    );
  });
});

describe.each(inProject.map((procedure) => [procedure.name, procedure] as const))("%s", (_, procedure) => {
  const denied = procedure.meta.denial === "not_found" ? [404, "not_found"] : [403, "forbidden"];

  test("tells a stranger nothing, whether or not the project exists", async () => {
    const existing = await attempt(procedure, asCookie(procedure, stranger.token));
    const unknown = await attempt(procedure, asCookie(procedure, stranger.token), uuid());
    expect([existing.status, existing.body.code]).toEqual(denied);
    expect([unknown.status, unknown.body.code]).toEqual(denied);
    expect(existing.body.error).toBe(unknown.body.error);
  });

  test("refuses a key that is bound to another project", async () => {
    const other = await makeProject(harness.now, { admin: project.admin });
    const { scope } = procedure.meta;
    if (!scope) return;
    const key = await makeKey(harness.now, project.admin, { scopes: [scope], projectId: other.id });
    const { status, body } = await attempt(procedure, { token: key.token });
    expect([status, body.code]).toEqual(denied);
  });
});

/**
 * Bodies for calls whose example in the documents says nothing, or names things that are not here.
 */
const BODIES: Record<string, unknown> = {
  "integrations.linkIssue": { issue_number: 12, repo_full_name: "acme/handoff" },
  "tasks.reorder": { task_ids: [] },
  "tickets.place": { stage: "validation" },
};

test("every procedure takes what belongs to another project for unknown", async () => {
  const { token } = project.admin;
  const make = async (path: string, body: unknown) =>
    (await harness.now.call("POST", path, { token, body })).body.id;
  const { id: ticketId, path } = await makeTicket(harness.now, project, { roles: ["qa"] });
  const ids: Record<string, string> = {
    ticketId,
    role: "qa",
    taskId: await make(`${path}/tasks`, { title: "Theirs", role: "qa" }),
    caseId: await make(`${path}/test-cases`, { title: "Theirs", instruction: "Look." }),
    questionId: await make(`${path}/questions`, { prompt: "Theirs?" }),
    commentId: await make(`${path}/comments`, { body: "Theirs" }),
    runId: await make(`${path}/agent-runs`, { agent_id: "bc_theirs" }),
    suggestionId: uuid(),
    webhookId: await make(`${project.path}/webhooks`, { url: "https://hooks.example.com/theirs" }),
    deliveryId: uuid(),
    labelId: await make(`${project.path}/labels`, { name: "theirs" }),
    milestoneId: await make(`${project.path}/milestones`, { name: "theirs" }),
    columnId: await make(`${project.path}/columns`, { stage: "backlog", name: "theirs" }),
    linkId: await make(`${path}/links`, {
      kind: "relates",
      ticket: (await makeTicket(harness.now, project)).id,
    }),
  };
  // Users belong to an account and not to a project.
  const fields = new Set(inProject.flatMap(({ pathFields }) => pathFields));
  expect([...fields].filter((field) => !(field in ids)).sort()).toEqual(["id", "userId"]);
  await harness.now.sql`
    insert into suggestions (id, project_id, kind, ticket_id, title, rationale, confidence, evidence, fingerprint)
    values (${ids
    .suggestionId!}::uuid, ${project.id}::uuid, 'stale', ${ticketId}::uuid, 'Old', 'Nobody came', 0.9,
      '{"proposal": "close", "stage": "backlog"}'::jsonb, 'theirs')`;
  const own = await makeProject(harness.now, { admin: project.admin, repositories: ["acme/handoff"] });
  for (const { name, meta, pathFields } of inProject) {
    if (!pathFields.some((field) => field in ids)) continue;
    const path = meta.path.replace(/\{(\w+)\}/g, (_, field) => field === "id" ? own.id : ids[field]!);
    const body = meta.method === "GET" ? undefined : BODIES[name] ?? meta.example?.input ?? {};
    const answer = await harness.now.call(meta.method, path, { token, body });
    expect([answer.status, answer.body?.code], name).toEqual([404, "not_found"]);
  }
});

const writing = inProject.filter(({ meta }) => meta.access !== "viewer");
test.each(writing.map((procedure) => [procedure.name, procedure] as const))(
  "%s refuses a viewer",
  async (_, procedure) => {
    const viewer = await makeMember(harness.now, project, "viewer");
    const { status, body } = await attempt(procedure, asCookie(procedure, viewer.token));
    expect([status, body.code]).toEqual([403, "forbidden"]);
  },
);

/** These calls read the decision or undo it. */
const EVEN_ARCHIVED = ["projects.update", "projects.archive", "transfers.export"];
test.each(
  writing.filter(({ name }) => !EVEN_ARCHIVED.includes(name)).map((procedure) =>
    [procedure.name, procedure] as const
  ),
)(
  "%s refuses an archived project",
  async (_, procedure) => {
    const { status, body } = await attempt(procedure, asCookie(procedure, project.admin.token), archived.id);
    expect([status, body.error]).toEqual([403, expect.stringContaining("is archived")]);
  },
);

const forAdmins = guarded.filter(({ meta }) =>
  meta.access === "account_admin" || meta.access === "super_admin"
);
test.each(forAdmins.map((procedure) => [procedure.name, procedure] as const))(
  "%s refuses a member",
  async (_, procedure) => {
    const member = await makeUser(harness.now);
    const { status, body } = await attempt(procedure, asCookie(procedure, member.token));
    expect([status, body.code]).toEqual([403, "forbidden"]);
  },
);

test.each(
  guarded.filter(({ meta }) => meta.method !== "GET").map((procedure) =>
    [procedure.name, procedure] as const
  ),
)(
  "%s refuses a cookie that another site sends",
  async (_, procedure) => {
    const headers = { cookie: `session=${stranger.token}`, origin: "https://elsewhere.test" };
    const { status, body } = await attempt(procedure, { headers });
    expect([status, body.code]).toEqual([403, "csrf"]);
  },
);

const lists = inProject.filter(({ input }) => "cursor" in input.shape);
test.each(lists.map((procedure) => [procedure.name, procedure] as const))(
  "%s refuses a cursor that it did not give out, and leaves no failure behind",
  async (_, procedure) => {
    const { meta } = procedure;
    const path = meta.path.replace("{id}", project.id).replace(/\{\w+\}/g, uuid());
    const { status } = await harness.now.call(
      meta.method,
      `${path}?cursor=0`,
      asCookie(procedure, project.admin.token),
    );
    // Either status is right for an unknown ticket. An unhandled rejection fails the test run.
    expect([400, 404]).toContain(status);
  },
);
