import superjson from "superjson";
import { beforeAll, expect, test } from "vitest";
import { makeUser, next, type TestUser } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const ROWS = 1_500;
const QUESTIONS = 10;
/** A page of answers has at most 2 MiB of text, and one more answer is read with it. */
const MOST_OF_PART = 3 * 1024 * 1024;

let admin: TestUser;
let id: string;
beforeAll(async () => {
  admin = await makeUser(harness.now, { role: "super_admin" });
  const questions = Array.from({ length: QUESTIONS }, (_, n) => ({
    key: `q${n}`,
    text: `Question ${n}?`,
    type: "text",
  }));
  const body = { code: `many-${next()}`, title: "Many answers", questions };
  id = (await harness.now.call("POST", "/admin/scope-surveys", { token: admin.token, body })).body.id;
  await harness.now.sql`
    insert into survey_responses (id, survey_id, email, answers)
    select gen_random_uuid(), ${id}::uuid, n || '@example.test',
      (select jsonb_object_agg('q' || q, repeat('x', 1500)) from generate_series(0, ${QUESTIONS - 1}) q)
    from generate_series(1, ${ROWS}) n`;
});

test("20 MB of answers come as CSV part by part, and none is missing", async () => {
  const path = `/api/admin/scope-surveys/${id}/responses?format=csv`;
  const response = await harness.now.request("GET", path, { token: admin.token });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  const emails = new Set<string>();
  let [largest, rest] = [0, ""];
  for await (const part of response.body!) {
    largest = Math.max(largest, part.length);
    const lines = (rest + new TextDecoder().decode(part)).split("\r\n");
    rest = lines.pop()!;
    for (const line of lines) emails.add(line.split(",", 2)[1]!);
  }
  expect([rest, emails.size]).toEqual(["", ROWS + 1]);
  expect(largest).toBeLessThan(MOST_OF_PART);
});

test("a reader who goes ends the reading, and HEAD begins none", async () => {
  const path = `/api/admin/scope-surveys/${id}/responses?format=csv`;
  const statements = async (work: () => Promise<unknown>) => await harness.now.count(work);
  const some = await statements(async () => {
    const response = await harness.now.request("GET", path, { token: admin.token });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
  });
  expect(some).toBeLessThan(8);
  const head = await harness.now.request("HEAD", path, { token: admin.token });
  expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
    200,
    "text/csv; charset=utf-8",
    "",
  ]);
});

test("over tRPC, where they are one text, they are refused as too many", async () => {
  const input = encodeURIComponent(superjson.stringify({ id, format: "csv" }));
  const answer = await harness.now.request("GET", `/trpc/surveys.responses?input=${input}`, {
    token: admin.token,
  });
  const { error } = await answer.json();
  expect([answer.status, error.json.data.body.code]).toEqual([400, "answer_too_large"]);
});

test("an unknown survey is 404 as CSV too", async () => {
  const path = `/admin/scope-surveys/${admin.id}/responses?format=csv`;
  const { status, body } = await harness.now.call("GET", path, { token: admin.token });
  expect([status, body.code]).toEqual([404, "not_found"]);
});
