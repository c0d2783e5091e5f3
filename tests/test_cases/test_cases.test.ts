import { v7 as uuid } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestTicket,
  type TestUser,
  useProject,
} from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);
let ticket: TestTicket;
let member: TestUser;
beforeAll(async () => {
  member = await makeMember(harness.now, project, "member");
});

function call(
  method: string,
  path: string,
  body?: Record<string, unknown>,
  user: { token: string } = member,
  headers: Record<string, string> = {},
) {
  return harness.now.call(method, path, { token: user.token, headers, body });
}

const draft = { title: "Upload 3 GB", instruction: "Upload a file of 3 GB and compare its checksum." };

async function newCase(fields: Record<string, unknown> = {}): Promise<string> {
  ticket = await makeTicket(harness.now, project);
  return await add(fields);
}

async function add(fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await call("POST", `${ticket.path}/test-cases`, { ...draft, ...fields });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return `${ticket.path}/test-cases/${body.id}`;
}

function close() {
  return call("PATCH", ticket.path, { stage: "live" });
}

describe("human test cases", () => {
  test("are made, listed in order, changed and deleted", async () => {
    ticket = await makeTicket(harness.now, project);
    expect((await call("GET", `${ticket.path}/test-cases`)).body).toEqual({ cases: [], all_approved: true });
    const made = await call("POST", `${ticket.path}/test-cases`, {
      ...draft,
      link: "https://example.test/upload?x=1",
    });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/api${ticket.path}/test-cases/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.any(String),
      ...draft,
      link: "https://example.test/upload?x=1",
      status: "pending",
      decided_by: null,
      decided_at: null,
      note: null,
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const second = await add({ title: "Second" });
    const { body } = await call("GET", `${ticket.path}/test-cases`);
    expect(body.cases.map(({ title }: { title: string }) => title)).toEqual([draft.title, "Second"]);
    expect(body.all_approved).toBe(false);
    expect((await call("GET", `${ticket.path}/test-cases/${made.body.id}`)).body).toEqual(made.body);
    expect((await call("PATCH", second, { link: null, title: "Third" })).body.title).toBe("Third");
    expect((await call("DELETE", second)).status).toBe(204);
    expect((await call("DELETE", second)).status).toBe(404);
  });

  test("are 500 of a ticket at the most", async () => {
    await newCase();
    await harness.now.sql`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      insert into test_cases (id, ticket_id, project_id, title, instruction)
      select gen_random_uuid(), ${ticket.id}::uuid, ${project.id}::uuid, 'case', 'Try it.'
      from author, generate_series(1, 498)`;
    await add();
    const { status, body } = await call("POST", `${ticket.path}/test-cases`, draft);
    expect([status, body.error]).toEqual([
      409,
      `Cannot add a test case to ticket ${ticket.ref}: it has 500 already`,
    ]);
  });

  test("are all approved when the last one is", async () => {
    const one = await newCase();
    const two = await add();
    const all = async () => (await call("GET", `${ticket.path}/test-cases`)).body.all_approved;
    await call("POST", `${one}/approve`);
    expect(await all()).toBe(false);
    await call("POST", `${two}/approve`);
    expect(await all()).toBe(true);
    await call("POST", `${two}/reject`);
    expect(await all()).toBe(false);
  });

  test("keep who decided, when and why; deciding the same again keeps the first, but for another note", async () => {
    const path = await newCase();
    const approved = await call("POST", `${path}/approve`, { note: "Checksum fits" });
    expect(approved.body).toMatchObject({
      status: "approved",
      decided_by: member.id,
      decided_at: expect.any(String),
      note: "Checksum fits",
    });
    for (const again of [{}, { note: "Checksum fits" }]) {
      expect((await call("POST", `${path}/approve`, again, project.admin)).body).toEqual(approved.body);
    }
    const noted = await call("POST", `${path}/approve`, { note: "Fits at 4 GB too" }, project.admin);
    expect(noted.body).toMatchObject({ decided_by: project.admin.id, note: "Fits at 4 GB too" });
    const rejected = await call("POST", `${path}/reject`, { note: "Fails at 4 GB" }, project.admin);
    expect(rejected.body).toMatchObject({
      status: "rejected",
      decided_by: project.admin.id,
      note: "Fails at 4 GB",
    });
  });

  test("are pending again when title or instruction change, and stay decided when the link does", async () => {
    for (const change of [{ title: "Upload 4 GB" }, { instruction: "Upload 4 GB." }]) {
      const path = await newCase();
      await call("POST", `${path}/approve`, { note: "Fine" });
      const kept = await call("PATCH", path, { ...draft, link: "https://example.test/" });
      expect(kept.body).toMatchObject({ status: "approved", note: "Fine" });
      const reopened = await call("PATCH", path, change);
      expect(reopened.body).toMatchObject({
        status: "pending",
        decided_by: null,
        decided_at: null,
        note: null,
      });
      expect((await close()).body.code).toBe("human_tests_pending");
    }
  });

  test("are refused with the name of what is wrong", async () => {
    const path = await newCase();
    const wrong = [
      [{ instruction: "x" }, "title"],
      [{ ...draft, title: "" }, "title"],
      [{ ...draft, instruction: "x".repeat(5001) }, "instruction"],
      [{ ...draft, link: "javascript:alert(1)" }, "link"],
      [{ ...draft, link: "not a link" }, "link"],
      [{ ...draft, link: "https://example.test/a\0b" }, "link"],
      [{ ...draft, link: "https://example.test/\ud800" }, "link"],
      [{ ...draft, link: " https://example.test/" }, "link"],
      [{ ...draft, link: "https://example.test/ " }, "link"],
      [{ ...draft, link: "https://example\n.test/" }, "link"],
      [{ ...draft, link: "https:example.test" }, "link"],
      [{ ...draft, link: `https://example.test/${"x".repeat(1980)}` }, "link"],
      [{ ...draft, status: "approved" }, "status"],
      [{ ...draft, actor_role: "user" }, "actor_role"],
    ] as const;
    for (const [body, field] of wrong) {
      const answer = await call("POST", `${ticket.path}/test-cases`, body);
      expect([answer.status, Object.keys(answer.body.fieldErrors)], JSON.stringify(body)).toEqual([400, [
        field,
      ]]);
    }
    expect((await call("PATCH", path, { status: "approved" })).body.fieldErrors).toHaveProperty("status");
  });

  test("keep their link as sent", async () => {
    for (const link of ["HTTP://Example.test", "https://example.test/a b/\u00e9?q=票#🎫"]) {
      const path = await newCase({ link });
      expect((await call("GET", path)).body.link).toBe(link);
    }
  });

  test("of unknown tickets, of another ticket or another project are 404", async () => {
    const path = await newCase();
    const id = path.split("/").at(-1);
    const elsewhere = await makeTicket(harness.now, project);
    const foreign = await makeTicket(harness.now, await makeProject(harness.now));
    for (const at of [uuid(), elsewhere.id, foreign.id]) {
      const wrong = `${project.path}/tickets/${at}/test-cases/${id}`;
      expect((await call("POST", `${wrong}/approve`)).status).toBe(404);
      expect((await call("PATCH", wrong, { title: "x" })).status).toBe(404);
      expect((await call("DELETE", wrong)).status).toBe(404);
    }
    expect((await call("GET", `${project.path}/tickets/${foreign.id}/test-cases`)).status).toBe(404);
  });
});

describe("If-Match", () => {
  const verbs = [
    ["PATCH", "", { link: "https://example.test/" }],
    ["POST", "/approve", {}],
    ["POST", "/reject", {}],
    ["DELETE", "", undefined],
  ] as const;
  const withTag = (tag: string, [method, verb, body]: (typeof verbs)[number], path: string) =>
    call(method, path + verb, body, member, { "If-Match": tag });

  test("of a former version is 412 with the current case, and a malformed one 400; both change nothing", async () => {
    const path = await newCase();
    const changed = await call("PATCH", path, { instruction: "Do nothing" });
    for (const verb of verbs) {
      const { status, body } = await withTag('"1"', verb, path);
      expect([status, body.code, body.details?.current], verb.join()).toEqual(
        [412, "version_conflict", changed.body],
      );
      expect((await withTag("1", verb, path)).body.fieldErrors, verb.join()).toHaveProperty("If-Match");
    }
    expect((await call("GET", path)).body).toEqual(changed.body);
  });

  test("passes with the ETag of the last answer, which each change makes another", async () => {
    const path = await newCase();
    let tag = (await call("GET", path)).headers.get("etag");
    for (const verb of verbs) {
      const answer = await withTag(tag!, verb, path);
      expect(answer.status, verb.join()).toBe(verb[0] === "DELETE" ? 204 : 200);
      if (verb[0] === "DELETE") continue;
      expect(answer.headers.get("etag")).not.toBe(tag);
      tag = answer.headers.get("etag");
      const { cases } = (await call("GET", `${ticket.path}/test-cases`)).body;
      expect(`"${cases[0].version}"`).toBe(tag);
    }
  });

  test("keeps a person from approving a text that changed while it was read", async () => {
    const path = await newCase();
    const key = await makeKey(harness.now, member);
    const [changed, approved] = await behindLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${ticket.id}::uuid for update`,
      () => call("PATCH", path, { instruction: "Do nothing" }, key),
      () => withTag('"1"', verbs[1], path),
    );
    expect([changed!.status, approved!.status]).toEqual([200, 412]);
    expect((await call("GET", path)).body.status).toBe("pending");
  });
});

describe("bot clients", () => {
  test("never approve, reject or delete a case, by any call", async () => {
    const path = await newCase();
    const bot = await makeMember(harness.now, project, "admin", "bot");
    const [key, botKey] = [await makeKey(harness.now, project.admin), await makeKey(harness.now, bot)];
    const [id, , ticketId, , caseId] = path.slice("/projects/".length).split("/");
    for (const client of [bot, key, botKey]) {
      const refused = [
        await call("POST", `${path}/approve`, {}, client),
        await call("POST", `${path}/reject`, {}, client),
        await call("DELETE", path, undefined, client),
      ];
      for (const { status, body } of refused) expect([status, body.code]).toEqual([403, "forbidden"]);
      for (const procedure of ["testCases.approve", "testCases.reject", "testCases.delete"]) {
        const answer = await harness.now.request("POST", `/trpc/${procedure}`, {
          token: client.token,
          body: { json: { id, ticketId, caseId } },
        });
        expect([answer.status, (await answer.json()).error.json.data.body.code]).toEqual([403, "forbidden"]);
      }
    }
    expect((await call("GET", path)).body.status).toBe("pending");
    expect((await close()).body.code).toBe("human_tests_pending");
  });

  test("may write and change cases, which makes them pending", async () => {
    const path = await newCase();
    await call("POST", `${path}/approve`);
    const key = await makeKey(harness.now, member);
    expect((await call("POST", `${ticket.path}/test-cases`, draft, key)).status).toBe(201);
    expect((await call("PATCH", path, { title: "By a bot" }, key)).body.status).toBe("pending");
  });

  test("viewers only read", async () => {
    const path = await newCase();
    const viewer = await makeMember(harness.now, project, "viewer");
    expect((await call("POST", `${path}/approve`, {}, viewer)).status).toBe(403);
    expect((await call("POST", `${ticket.path}/test-cases`, draft, viewer)).status).toBe(403);
    expect((await call("GET", `${ticket.path}/test-cases`, undefined, viewer)).status).toBe(200);
  });
});

describe("behind a closed ticket", () => {
  test("no case is added, undone or rejected until it is reopened", async () => {
    const path = await newCase();
    await call("POST", `${path}/approve`);
    expect((await close()).status).toBe(200);
    const refused = [
      await call("POST", `${ticket.path}/test-cases`, draft),
      await call("PATCH", path, { title: "Another" }),
      await call("POST", `${path}/reject`),
    ];
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([409, "conflict"]);
      expect(body.error).toContain(`ticket ${ticket.ref}: it is closed`);
    }
    expect((await call("PATCH", path, { link: "https://example.test/" })).status).toBe(200);
    await call("PATCH", ticket.path, { status: "open" });
    expect((await call("POST", `${path}/reject`)).status).toBe(200);
  });

  test("no case is added that waited for the closing", async () => {
    ticket = await makeTicket(harness.now, project);
    const [closed, added] = await behindLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${ticket.id}::uuid for update`,
      close,
      () => call("POST", `${ticket.path}/test-cases`, draft),
    );
    expect([closed!.status, added!.status]).toEqual([200, 409]);
    expect((await call("GET", `${ticket.path}/test-cases`)).body.cases).toEqual([]);
  });

  test("a case that the gate was skipped for is changed and decided as ever", async () => {
    const path = await newCase();
    const closing = { action: "close", ticket_ids: [ticket.id], skip_human_test_gate: true };
    const closed = await call("POST", `${project.path}/tickets/bulk`, closing, project.admin);
    expect(closed.body.updated).toBe(1);
    for (
      const [method, below, body] of [["PATCH", "", { title: "Another" }], ["POST", "/reject", {}]] as const
    ) {
      expect((await call(method, path + below, body)).status).toBe(200);
    }
  });
});
