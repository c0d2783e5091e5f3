import { beforeAll, describe, expect, test } from "vitest";
import { v7 as uuid } from "uuid";
import { behindLock } from "../behind_lock.ts";
import { makeKey, makeUser, next, type TestUser } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";

const harness = useHarness();
let admin: TestUser;

beforeAll(async () => {
  admin = await makeUser(harness.now, { role: "super_admin" });
});

const QUESTIONS = [
  { key: "missed", text: "What do you miss, most of all?", type: "text" },
  { key: "team", text: "Which team?", type: "choice", options: ["web", "core"], required: false },
  { key: "areas", text: "Which areas?", type: "choices", options: ["search", "export"], required: false },
  { key: "mood", text: "How satisfied?", type: "scale", max: 5, required: false },
];

function create(fields: Record<string, unknown> = {}) {
  const body = { code: `scope-${next()}`, title: "Next release", questions: QUESTIONS, ...fields };
  return harness.now.call("POST", "/admin/scope-surveys", { token: admin.token, body });
}

/** Every answer comes from an address of its own, unless the limit is what is tested. */
function answer(code: string, body: unknown, options: CallOptions = {}) {
  return harness.now.call("POST", `/surveys/${code}/responses`, {
    address: `10.0.0.${next()}`,
    ...options,
    body,
  });
}

async function count(id: string): Promise<number> {
  const { body } = await harness.now.call("GET", "/admin/scope-surveys", { token: admin.token });
  return body.surveys.find((survey: { id: string }) => survey.id === id).response_count;
}

describe("a survey", () => {
  test("is made by super admins and listed with its count of responses", async () => {
    const { status, body, headers } = await create({ code: "Scope-Q4" });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe("/api/surveys/Scope-Q4");
    expect(body).toEqual({
      id: expect.any(String),
      code: "Scope-Q4",
      title: "Next release",
      created_at: expect.stringMatching(/Z$/),
      response_count: 0,
      closed_at: null,
    });
    await answer("scope-q4", { email: "ada@example.test", answers: { missed: "Exports" } });
    expect(await count(body.id)).toBe(1);
    const doubled = await create({ code: "SCOPE-Q4" });
    expect([doubled.status, doubled.body.error]).toEqual([409, "Another survey has the code SCOPE-Q4"]);
  });

  test("is listed before the older ones", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await create()).body.id);
    const { body } = await harness.now.call("GET", "/admin/scope-surveys", { token: admin.token });
    expect(body.surveys.slice(0, 3).map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test("is read by anyone with its code, in any case", async () => {
    const { body } = await create();
    const read = await harness.now.call("GET", `/surveys/${body.code.toUpperCase()}`);
    expect(read.body).toEqual({
      code: body.code,
      title: "Next release",
      questions: QUESTIONS.map((question) => ({ required: true, ...question })),
      closed: false,
    });
    const unknown = await harness.now.call("GET", "/surveys/nowhere");
    expect([unknown.status, unknown.body.code]).toEqual([404, "not_found"]);
    expect((await harness.now.call("GET", "/surveys/%00")).status).toBe(400);
  });

  test("gets its code alone, also of ten that want it at once", async () => {
    const code = `wanted-${next()}`;
    const made = await Promise.all(Array.from({ length: 10 }, () => create({ code })));
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)]);
  });

  test.each([
    ["a code with spaces", { code: "a b c" }, "code"],
    ["no question", { questions: [] }, "questions"],
    ["two questions of one key", { questions: [QUESTIONS[0], QUESTIONS[0]] }, "questions"],
    ["a choice of one", { questions: [{ ...QUESTIONS[1], options: ["web"] }] }, "questions.0.options"],
    ["an option twice", { questions: [{ ...QUESTIONS[1], options: ["web", "web"] }] }, "questions.0.options"],
    ["an unknown type", { questions: [{ ...QUESTIONS[0], type: "essay" }] }, "questions.0.type"],
  ])("is refused with %s", async (_, fields, field) => {
    const { status, body } = await create(fields);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, [field]]);
  });
});

describe("answering", () => {
  test("goes by a code in letters that only the database takes for its own", async () => {
    const { body: survey } = await create({ code: `kick-${next()}` });
    const code = encodeURIComponent(survey.code.replace("k", "\u212a"));
    const { status, headers } = await answer(code, { email: "k@example.test", answers: { missed: "x" } });
    expect([status, headers.get("location")]).toEqual([201, `/api/surveys/${code}`]);
  });

  test("happens once per email in any case of letters, even 20 times at once", async () => {
    const { body: survey } = await create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        answer(survey.code, {
          email: n % 2 ? "ada@example.test" : "Ada@Example.test",
          answers: { missed: `${n}` },
        })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(409)]);
    expect(answers.find(({ status }) => status === 409)!.body.error).toBe(
      "You have answered this survey already",
    );
    expect(await count(survey.id)).toBe(1);
  });

  test("counts a signed-in person once, and their word over one given under their email", async () => {
    const { body: survey } = await create();
    const user = await makeUser(harness.now);
    const strange = await answer(survey.code, { email: user.email, answers: { missed: "Not me" } });
    expect(strange.status).toBe(201);
    await harness.now.sql`
      update survey_responses set created_at = '2026-01-01' where survey_id = ${survey.id}::uuid`;
    const { status, body: own } = await answer(
      survey.code,
      { answers: { missed: "Me" } },
      { token: user.token },
    );
    expect([status, own.created_at]).toEqual([201, expect.not.stringMatching(/^2026-01-01/)]);
    expect(own.id, "whose place is behind the others").not.toBe(strange.body.id);
    expect((await answer(survey.code, { answers: { missed: "Me again" } }, { token: user.token })).status)
      .toBe(409);
    expect((await answer(survey.code, { email: user.email, answers: { missed: "Not me" } })).status).toBe(
      409,
    );
    const path = `/admin/scope-surveys/${survey.id}/responses`;
    const { body } = await harness.now.call("GET", path, { token: admin.token });
    expect(body.responses).toMatchObject([{
      user_id: user.id,
      email: user.email,
      answers: { missed: "Me" },
    }]);
  });

  test("takes of a scale the whole numbers from 1 to its end", async () => {
    const { body: survey } = await create();
    const send = async (mood: number) =>
      (await answer(survey.code, { email: `s${next()}@example.test`, answers: { missed: "x", mood } }))
        .status;
    expect(await Promise.all([0, 1, 1.5, 5, 6].map(send))).toEqual([400, 201, 400, 201, 400]);
  });

  test("that can't be stored is refused with what is wrong in it", async () => {
    const send = async (missed: unknown) =>
      (await answer("any", { email: "ada@example.test", answers: { missed } })).body.fieldErrors;
    for (const text of ["a\0b", "a\ud83c"]) {
      const told = { "answers.missed": "Must not contain NUL or lone surrogates" };
      expect([await send(text), await send([text])]).toEqual([told, told]);
    }
    const told = { "answers.missed": "Expected a text, a number or a list of options" };
    for (const other of [null, true, {}, [1]]) expect(await send(other)).toEqual(told);
  });

  test("with more answers than a survey may have questions is refused as a whole", async () => {
    const answers = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`answer${at}`, {}]));
    const { status, body } = await answer("any", { email: "ada@example.test", answers });
    expect([status, body.fieldErrors]).toEqual([400, { answers: "Expected at most 50 answers" }]);
    for (const none of [null, "x".repeat(60)]) {
      const { body } = await answer("any", { email: "ada@example.test", answers: none });
      expect(body.fieldErrors.answers).toMatch(/^Invalid input: expected record/);
    }
  });

  test("needs a choice where one is required, and none elsewhere", async () => {
    const { body: survey } = await create({
      questions: QUESTIONS.map((question) => ({ ...question, required: question.key === "areas" })),
    });
    const refused = await answer(survey.code, { email: "ada@example.test", answers: { areas: [] } });
    expect(refused.body.fieldErrors).toEqual({ "answers.areas": "Expected a list of different options" });
    const { body: other } = await create();
    const taken = await answer(other.code, {
      email: "ada@example.test",
      answers: { missed: "x", areas: [] },
    });
    expect(taken.status).toBe(201);
  });

  test("takes a signed-in person whose email has capitals, who has answered under it before", async () => {
    const { body: survey } = await create();
    const user = await makeUser(harness.now);
    await harness.now.sql`update users set email = upper(email) where id = ${user.id}::uuid`;
    expect((await answer(survey.code, { email: user.email, answers: { missed: "x" } })).status).toBe(201);
    expect((await answer(survey.code, { answers: { missed: "y" } }, { token: user.token })).status).toBe(201);
    expect(await count(survey.id)).toBe(1);
  });

  test("counts a signed-in person once, also at ten places at once and under a new email", async () => {
    const { body: survey } = await create();
    const user = await makeUser(harness.now);
    const send = () => answer(survey.code, { answers: { missed: "Exports" } }, { token: user.token });
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)]);
    const renamed = await harness.now.call("PATCH", `/users/${user.id}`, {
      token: admin.token,
      body: { email: `renamed${next()}@example.test` },
    });
    expect(renamed.status).toBe(200);
    const again = await send();
    expect([again.status, again.body.error]).toEqual([409, "You have answered this survey already"]);
    expect(await count(survey.id)).toBe(1);
  });

  test("needs to know who answers, and takes no bots", async () => {
    const { body: survey } = await create();
    const answers = { missed: "Exports" };
    expect((await answer(survey.code, { answers })).body.fieldErrors).toHaveProperty("email");
    const user = await makeUser(harness.now);
    const both = await answer(survey.code, { email: "other@example.test", answers }, { token: user.token });
    expect(both.body.fieldErrors).toHaveProperty("email");
    const key = await makeKey(harness.now, user);
    expect((await answer(survey.code, { answers }, { token: key.token })).status).toBe(403);
    const stale = await answer(survey.code, { email: user.email, answers }, { token: `${user.token}x` });
    expect([stale.status, stale.body.code]).toEqual([401, "unauthenticated"]);
    const abroad = { cookie: `session=${user.token}`, origin: "https://elsewhere.test" };
    const forged = await answer(survey.code, { answers }, { headers: abroad });
    expect([forged.status, forged.body.code]).toEqual([403, "csrf"]);
    expect(await count(survey.id)).toBe(0);
  });

  test.each([
    ["a required one missing", {}, { "answers.missed": "Must be answered" }],
    ["a required one left empty", { missed: "" }, { "answers.missed": "Must be answered" }],
    ["a number for a text", { missed: 7 }, { "answers.missed": "Expected a text" }],
    ["an option that isn't one", { missed: "x", team: "sales" }, {
      "answers.team": "Expected one of the options",
    }],
    ["an option twice", { missed: "x", areas: ["export", "export"] }, {
      "answers.areas": "Expected a list of different options",
    }],
    ["a step off the scale", { missed: "x", mood: 6 }, {
      "answers.mood": "Expected a whole number from 1 to 5",
    }],
    ["a question of an object's own name", JSON.parse('{"missed":"x","__proto__":"y"}'), {
      "answers.__proto__": "The survey has no such question",
    }],
    ["an unknown question", { missed: "x", age: 40 }, { "answers.age": "The survey has no such question" }],
  ])("is refused with %s, by name", async (_, answers, fieldErrors) => {
    const { body: survey } = await create();
    const { status, body } = await answer(survey.code, { email: "ada@example.test", answers });
    expect([status, body.fieldErrors]).toEqual([400, fieldErrors]);
    expect(await count(survey.id)).toBe(0);
  });

  test("ends when the survey is closed; closing again changes nothing", async () => {
    const { body: survey } = await create();
    const close = () =>
      harness.now.call("POST", `/admin/scope-surveys/${survey.id}/close`, { token: admin.token });
    const { body: closed } = await close();
    expect(closed.closed_at).toMatch(/Z$/);
    expect((await close()).body.closed_at).toBe(closed.closed_at);
    expect((await harness.now.call("GET", `/surveys/${survey.code}`)).body.closed).toBe(true);
    const { status, body } = await answer(survey.code, {
      email: "ada@example.test",
      answers: { missed: "x" },
    });
    expect([status, body.code, body.error]).toEqual([409, "conflict", "The survey is closed"]);
    const unknown = await harness.now.call("POST", `/admin/scope-surveys/${uuid()}/close`, {
      token: admin.token,
    });
    expect(unknown.status).toBe(404);
    expect((await answer("nowhere", { email: "ada@example.test", answers: {} })).status).toBe(404);
  });

  test("is refused when the survey is closed in between", async () => {
    const { body: survey } = await create();
    const answers = await behindLock(
      harness.now,
      (tx) => tx`select from scope_surveys where id = ${survey.id}::uuid for update`,
      () => harness.now.call("POST", `/admin/scope-surveys/${survey.id}/close`, { token: admin.token }),
      () => answer(survey.code, { email: "ada@example.test", answers: { missed: "x" } }),
    );
    expect(answers).toMatchObject([
      { status: 200, body: { response_count: 0 } },
      { status: 409, body: { error: "The survey is closed" } },
    ]);
    expect(await count(survey.id)).toBe(0);
  });

  test("is limited by address, with every field that says when to come back", async () => {
    const { body: survey } = await create();
    const address = "192.0.2.77";
    const attempt = () => answer(survey.code, { answers: {} }, { address });
    for (let n = 0; n < 20; n++) expect((await attempt()).status).toBe(400);
    const { status, body, headers } = await attempt();
    expect([status, body.code]).toEqual([429, "rate_limited"]);
    expect(headers.get("retry-after")).toBe(String(body.retryAfter));
  });
});

describe("the public calls", () => {
  test("limits reading by address", async () => {
    const { body: survey } = await create();
    const read = () => harness.now.call("GET", `/surveys/${survey.code}`, { address: "192.0.2.78" });
    const statuses: number[] = [];
    for (let n = 0; n < 121; n++) statuses.push((await read()).status);
    expect(statuses).toEqual([...Array(120).fill(200), 429]);
  });

  test("takes 10,000 answers to a survey, so that nobody fills the disk by it", async () => {
    const { body: survey } = await create();
    await harness.now.sql`
      insert into survey_responses (id, survey_id, email, answers)
      select gen_random_uuid(), ${survey.id}::uuid, 'p' || n || '@example.test', '{}' from generate_series(1, 9999) n`;
    const send = (email: string) => answer(survey.code, { email, answers: { missed: "Exports" } });
    expect((await send("last@example.test")).status).toBe(201);
    const { status, body } = await send("late@example.test");
    expect([status, body.error]).toEqual([409, "The survey is full"]);
    expect(await count(survey.id)).toBe(10_000);
  });

  test("takes no answer beyond the size of a call, nor more than 20,000 characters in one", async () => {
    const { body: survey } = await create();
    const { status, body } = await answer(survey.code, {
      email: "ada@example.test",
      answers: { missed: "x".repeat(300_000) },
    });
    expect([status, body.code]).toEqual([413, "payload_too_large"]);
    const long = Array.from({ length: 5 }, (_, n) => ({ key: `text_${n}`, text: "Why?", type: "text" }));
    const { body: other } = await create({ questions: long });
    const send = (length: number) =>
      answer(other.code, {
        email: "ada@example.test",
        answers: Object.fromEntries(long.map(({ key }) => [key, "x".repeat(length)])),
      });
    expect((await send(5000)).body.fieldErrors).toEqual({
      answers: "Expected at most 20000 characters together",
    });
    expect((await send(3900)).status).toBe(201);
  });
});

describe("the responses", () => {
  test("come in pages, or as CSV that no spreadsheet takes for formulas", async () => {
    const { body: survey } = await create();
    const said = ['=HYPERLINK("evil")', 'Commas, and "quotes"', "Two\nlines", "Well; =1+1;-2\t@x\n ＝3; a-b"];
    for (const [n, missed] of said.entries()) {
      const answers = { missed, ...(n === 0 && { areas: ["search", "export"], mood: 4 }) };
      expect((await answer(survey.code, { email: `p${n}@example.test`, answers })).status).toBe(201);
    }
    const path = `/admin/scope-surveys/${survey.id}/responses`;
    const first = await harness.now.call("GET", `${path}?limit=2`, { token: admin.token });
    expect(first.body.responses).toHaveLength(2);
    const rest = await harness.now.call("GET", `${path}?limit=2&cursor=${first.body.next_cursor}`, {
      token: admin.token,
    });
    const emails = rest.body.responses.map(({ email }: { email: string }) => email);
    expect([emails, rest.body.next_cursor]).toEqual([["p2@example.test", "p3@example.test"], null]);

    const csv = await harness.now.request("GET", `/api${path}?format=csv&limit=2`, { token: admin.token });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toBe('attachment; filename="responses.csv"');
    const bytes = new Uint8Array(await csv.arrayBuffer());
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const lines = new TextDecoder().decode(bytes).split("\r\n");
    expect(lines[0]).toBe(
      'created_at,email,signed_in,"What do you miss, most of all?",Which team?,Which areas?,How satisfied?',
    );
    expect(lines[1]).toMatch(/Z,p0@example\.test,no,"'=HYPERLINK\(""evil""\)",,search; export,4$/);
    expect(lines[2]).toContain('"Commas, and ""quotes"""');
    expect(lines[3]).toContain('"Two\nlines"');
    expect(lines[4]).toContain("Well;' =1+1;'-2\t'@x\n' ＝3; a-b");
    expect(lines).toHaveLength(6);
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t'=1"],
    ["\r=1", `"'\r'=1"`],
    ["\nHello", `"'\nHello"`],
    // If cells end at `;`, the doubled quotes are an empty text before the next cell.
    ['Well;"=1+1;', `"Well;'""=1+1;"`],
    // The text without the apostrophe must give another cell.
    ["'=1+1", "''=1+1"],
    ["'\t=1", "''\t'=1"],
  ])(
    "tell a spreadsheet that %j is a text",
    async (missed, cell) => {
      const { body: survey } = await create();
      await answer(survey.code, { email: "p@example.test", answers: { missed } });
      const path = `/api/admin/scope-surveys/${survey.id}/responses?format=csv`;
      const csv = await (await harness.now.request("GET", path, { token: admin.token })).text();
      expect(csv).toContain(`,${cell},`);
    },
  );

  test("with options that look like several give each choice a cell of its own", async () => {
    const options = ["a", "b", "a; b", '"a', 'a"; "b', " a", "; ", "'a", "=a", "'=a"];
    const { body: survey } = await create({
      questions: [{ key: "q", text: "Which?", type: "choices", options, required: false }],
    });
    const choices = [...options.map((option) => [option]), ["a", "b"], ["b", "a"], ["a; b", "a"], options];
    for (const [n, q] of choices.entries()) {
      const { status } = await answer(survey.code, { email: `c${n}@example.test`, answers: { q } });
      expect(status).toBe(201);
    }
    const path = `/api/admin/scope-surveys/${survey.id}/responses?format=csv`;
    const csv = await (await harness.now.request("GET", path, { token: admin.token })).text();
    const cells = csv.split("\r\n").slice(1, -1).map((line) => line.split(",").slice(3).join(","));
    expect(cells).toHaveLength(choices.length);
    expect(new Set(cells).size).toBe(choices.length);
    expect(cells[2]).toBe('"""a; b"""');
    expect(cells[10]).toBe("a; b");
  });

  test("leave the cell of an unanswered question empty, with any key", async () => {
    const { body: survey } = await create({
      questions: [{ ...QUESTIONS[0], key: "constructor", required: false }],
    });
    await answer(survey.code, { email: "p@example.test", answers: {} });
    const path = `/api/admin/scope-surveys/${survey.id}/responses?format=csv`;
    const csv = await (await harness.now.request("GET", path, { token: admin.token })).text();
    expect(csv.split("\r\n")[1]).toMatch(/,p@example\.test,no,$/);
  });

  test("have a column of a name of its own for each question, be they asked in the same words", async () => {
    const asked = ["Why?", "Best?", "Why?", "email"];
    const { body: survey } = await create({
      questions: asked.map((text, n) => ({ key: `q${n}`, text, type: "text", required: false })),
    });
    const path = `/api/admin/scope-surveys/${survey.id}/responses?format=csv`;
    const csv = await (await harness.now.request("GET", path, { token: admin.token })).text();
    expect(csv).toBe("created_at,email,signed_in,Why? (q0),Best?,Why? (q2),email (q3)\r\n");
  });

  test("have one also where a question is asked in another's words with its key", async () => {
    const { body: survey } = await create({
      questions: ["Why?", "Why?", "Why? (q1)"].map((text, n) => ({
        key: `q${n}`,
        text,
        type: "text",
        required: false,
      })),
    });
    const path = `/api/admin/scope-surveys/${survey.id}/responses?format=csv`;
    const csv = await (await harness.now.request("GET", path, { token: admin.token })).text();
    expect(csv).toBe("created_at,email,signed_in,Why? (q0),Why? (q1),Why? (q1) (q2)\r\n");
  });

  test("are for super admins only", async () => {
    const { body: survey } = await create();
    const user = await makeUser(harness.now, { role: "admin" });
    const path = `/admin/scope-surveys/${survey.id}/responses`;
    expect((await harness.now.call("GET", path, { token: user.token })).status).toBe(403);
    expect((await harness.now.call("GET", `${path}?format=xml`, { token: admin.token })).status).toBe(400);
    expect((await harness.now.call("GET", path.replace(survey.id, uuid()), { token: admin.token })).status)
      .toBe(404);
  });
});
