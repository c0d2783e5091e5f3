import { beforeAll, describe, expect, test } from "vitest";
import { makeMember, makeTicket, type TestTicket, useProject } from "../factories.ts";
import { type Answer, useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);
let ticket: TestTicket;
beforeAll(async () => {
  ticket = await makeTicket(harness.now, project);
});

const PARTS = [
  ["tasks", { title: "Write it down", role: "qa" }],
  ["test-cases", { title: "Read it", instruction: "Read what is written." }],
] as const;

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return harness.now.call("POST", path, { token: project.admin.token, body, headers });
}

async function countOf(path: string): Promise<number> {
  const { body } = await harness.now.call("GET", path, { token: project.admin.token });
  return (body.tasks ?? body.cases).length;
}

describe.each(PARTS)("a repeated creation of %s", (parts, draft) => {
  const path = () => `${ticket.path}/${parts}`;

  test("under one key gets the first answer, no matter what it says and what became of the part", async () => {
    const before = await countOf(path());
    const first = await post(path(), { ...draft, idempotency_key: "once" });
    expect(first.status).toBe(201);
    expect(first.body).not.toHaveProperty("_idempotent_replay");
    const made = `${path()}/${first.body.id}`;
    await harness.now.call("PATCH", made, { token: project.admin.token, body: { title: "Another title" } });
    const replay = { ...first.body, _idempotent_replay: true };
    for (
      const [body, headers] of [
        [{ ...draft, idempotency_key: "once" }, {}],
        [{ ...draft, title: "Something else" }, { "idempotency-key": "once" }],
      ] as const
    ) {
      const repeated = await post(path(), body, headers);
      expect([repeated.status, repeated.body]).toEqual([200, replay]);
      expect(repeated.headers.has("etag")).toBe(false);
    }
    expect(await countOf(path())).toBe(before + 1);
    await harness.now.call("DELETE", made, { token: project.admin.token });
    expect((await post(path(), { ...draft, idempotency_key: "once" })).body).toEqual(replay);
    expect(await countOf(path())).toBe(before);
  });

  test("at the same moment makes one", async () => {
    const before = await countOf(path());
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => post(path(), { ...draft, idempotency_key: "twins" })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(15).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await countOf(path())).toBe(before + 1);
  });

  test("on another ticket, under another key or none is one of its own", async () => {
    const other = await makeTicket(harness.now, project);
    const keyed = (key: string) => ({ ...draft, idempotency_key: key });
    const answers = [
      await post(path(), keyed("one")),
      await post(path(), keyed("two")),
      await post(`${other.path}/${parts}`, keyed("one")),
      await post(path(), draft),
      await post(path(), draft),
    ];
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(5);
  });

  test("that failed may be made under the same key", async () => {
    const wrong = await post(path(), { ...draft, idempotency_key: "again", title: "" });
    expect(wrong.status).toBe(400);
    expect((await post(path(), { ...draft, idempotency_key: "again" })).status).toBe(201);
  });

  test("is refused, as any creation is, where there are 500", async () => {
    const { sql } = harness.now;
    const full = `${(await makeTicket(harness.now, project)).path}/${parts}`;
    const { id } = (await post(full, draft)).body;
    const table = sql(parts === "tasks" ? "tasks" : "test_cases");
    await sql`
      with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
      insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'sequence', n, 'number', n))).*
      from ${table} t, generate_series(2, 499) n, author where t.id = ${id}::uuid`;
    expect((await post(full, draft)).status).toBe(201);
    const { status, body } = await post(full, draft);
    expect([status, body.code]).toEqual([409, "conflict"]);
  });

  test("is told to nobody who may not make one", async () => {
    const viewer = await makeMember(harness.now, project, "viewer");
    await post(path(), { ...draft, idempotency_key: "secret" });
    const { status } = await harness.now.call("POST", path(), {
      token: viewer.token,
      body: { ...draft, idempotency_key: "secret" },
    });
    expect(status).toBe(403);
  });

  test("with a header that differs from the field is refused", async () => {
    const { status, body } = await post(path(), { ...draft, idempotency_key: "a" }, {
      "idempotency-key": "b",
    });
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["idempotency_key"]]);
  });

  test("takes 1 to 128 characters of any length in the header, as in the field", async () => {
    const postWith = (characters: number) => {
      const bytes = new TextEncoder().encode("🦊".repeat(characters));
      return post(path(), draft, { "idempotency-key": String.fromCharCode(...bytes) });
    };
    for (const [characters, status] of [[0, 400], [1, 201], [128, 201], [129, 400]] as const) {
      expect((await postWith(characters)).status, `${characters}`).toBe(status);
    }
  });
});

test("a task and a test case of a ticket may have the same key", async () => {
  for (const [parts, draft] of PARTS) {
    const { status } = await post(`${ticket.path}/${parts}`, { ...draft, idempotency_key: "shared" });
    expect(status, parts).toBe(201);
  }
});

describe("a replay's header", () => {
  const DIFFERS = "idempotent-body-differs";
  const kinds = [
    ["tickets", () => `${project.path}/tickets`, {
      title: "Counted once",
      description: "Whatever is asked for.",
      request_type: "bug",
      priority: "low",
      blocking: false,
      evidence: { first: 1, second: { a: [1, 2], b: null } },
    }],
    ...PARTS.map(([parts, draft]) => [parts, () => `${ticket.path}/${parts}`, draft] as const),
  ] as const;

  test.each(kinds)(
    "says of %s that the body differed from the first call's, and only then",
    async (_, path, draft) => {
      const keyed = { ...draft, idempotency_key: "compared" };
      const first = await post(path(), keyed);
      expect([first.status, first.headers.has(DIFFERS)]).toEqual([201, false]);
      const reordered = Object.fromEntries(Object.entries(draft).reverse());
      const { idempotency_key: _key, ...unkeyed } = keyed;
      for (
        const [body, headers] of [[keyed, {}], [reordered, { "idempotency-key": "compared" }], [unkeyed, {
          "idempotency-key": "compared",
        }]] as const
      ) {
        const same = await post(path(), body, headers);
        expect([same.status, same.headers.get(DIFFERS)]).toEqual([200, null]);
      }
      const other = await post(path(), { ...keyed, title: "Something else" });
      expect([other.status, other.headers.get(DIFFERS)]).toEqual([200, "true"]);
      const more = "evidence" in draft
        ? { evidence: { ...draft.evidence, third: 3 } }
        : { link: "https://x.test/" };
      if (path().endsWith("tasks")) return;
      expect((await post(path(), { ...keyed, ...more })).headers.get(DIFFERS)).toBe("true");
    },
  );

  test.each([["comments", "body"], ["questions", "prompt"]])("says so of %s, too", async (parts, field) => {
    const say = (text: string) =>
      post(`${ticket.path}/${parts}`, { [field]: text }, { "idempotency-key": "said" });
    const answers = [await say("First"), await say("First"), await say("Second")];
    expect(answers.map(({ status, headers }) => [status, headers.get(DIFFERS)]))
      .toEqual([[201, null], [200, null], [200, "true"]]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  test("says so of a twin at the same moment, too", async () => {
    const draft = { description: "Of two at once.", request_type: "bug", priority: "low", blocking: false };
    const answers = await Promise.all(
      ["One of two", "Two of two"].map((title) =>
        post(`${project.path}/tickets`, { ...draft, title, idempotency_key: "both" })
      ),
    );
    const seen = answers.map(({ status, headers }) => [status, headers.get(DIFFERS)]);
    expect(seen.toSorted()).toEqual([[200, "true"], [201, null]]);
  });

  test("says nothing of what was made before bodies were remembered, or came by an import", async () => {
    const draft = {
      title: "From before",
      description: "Made long ago.",
      request_type: "bug",
      priority: "low",
    };
    const keyed = { ...draft, blocking: false, idempotency_key: "old" };
    await post(`${project.path}/tickets`, keyed);
    await harness.now.sql`update ticket_creations set body_sha256 = null where idempotency_key = 'old'`;
    const replay = await post(`${project.path}/tickets`, { ...keyed, title: "Another one" });
    expect([replay.status, replay.headers.get(DIFFERS)]).toEqual([200, null]);
  });
});
