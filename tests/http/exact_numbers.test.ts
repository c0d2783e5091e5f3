import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ticketInput, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { expectFields, post } from "./_calls.ts";
import { expectTrpcError } from "./_trpc.ts";

const harness = useHarness();
const project = useProject(harness);

/** A creation with this JSON as its evidence. */
const sendRaw = (evidence: string) =>
  post(harness.now, project, {
    raw: JSON.stringify({ ...ticketInput(), evidence: "HERE" }).replace('"HERE"', evidence),
    headers: { "content-type": "application/json" },
  });

async function storedText(id: string): Promise<string> {
  const [row] = await harness.now.sql<[{ text: string }]>`
    select evidence ->> 'n' as text from tickets where id = ${id}::uuid`;
  return row.text;
}

describe("a whole number", () => {
  test.each([
    ['{"id": 750727362669608961}', "evidence.id"],
    ['{"id": -750727362669608961}', "evidence.id"],
    ['{"id": 9007199254740993}', "evidence.id"],
    // A double can hold this number, but JavaScript writes the double as another number.
    ['{"id": 1152921504606846976}', "evidence.id"],
    ['{"id": 9007199254740993.0}', "evidence.id"],
    ['{"id": 9007199254740991.7}', "evidence.id"],
    ['{"id": 900719925474099301e-2}', "evidence.id"],
    ['{"id": 123456789012345678e1}', "evidence.id"],
    ['{"id": 1e-400}', "evidence.id"],
    ['{"a": [1, {"b.c": ["x", 750727362669608961]}]}', "evidence.a.1.b.c.1"],
    ['{"a": "[{,", "\\u0062": [[], 750727362669608961]}', "evidence.b.1"],
    ['{"id": "750727362669608961"}', null],
    ['{"750727362669608961": 1}', null],
    ['{"a": "\\\\", "b": [9007199254740991, -9007199254740992, 1e22, 1152921504606847000]}', null],
    ['{"pi": 3.141592653589793238462643, "tenth": 0.10000000000000001}', null],
  ])("in %s is kept, or refused with its path: %s", async (evidence, path) => {
    const answer = await sendRaw(evidence);
    if (path === null) expect(answer.status).toBe(201);
    else expectFields(answer, [path]);
  });

  test("is stored as the number that was sent, or not at all", async () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 24 })
      .map((text) => text.replace(/^0+(?=.)/, ""));
    const number = fc.tuple(
      fc.constantFrom("", "-"),
      digits,
      fc.constantFrom("", ".0", ".00", "e0", "e5", "E+3"),
    )
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(number, async (text) => {
        const answer = await sendRaw(`{"n": ${text}}`);
        if (answer.status === 400) return expectFields(answer, ["evidence.n"]);
        expect(answer.status).toBe(201);
        expect(BigInt(await storedText(answer.body.ticket.id))).toBe(wholeOf(text));
      }),
      { numRuns: 150 },
    );
  });

  test("is refused over tRPC by the path in its input, alone and in a batch", async () => {
    const raw = JSON.stringify({ json: { id: project.id, ...ticketInput({ evidence: { id: 0 } }) } })
      .replace('"evidence":{"id":0}', '"evidence":{"id":750727362669608961}');
    const send = async (path: string, raw: string) => {
      const options = { raw, token: project.admin.token, headers: { "content-type": "application/json" } };
      const response = await harness.now.request("POST", path, options);
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    const alone = await send("/trpc/tickets.create", raw);
    expectTrpcError(alone, 400, "invalid_request");
    expect(alone.body.error.json.data.body.issues[0].path).toBe("evidence.id");
    const batch = await send("/trpc/tickets.create,tickets.create?batch=1", `{"0":${raw},"1":${raw}}`);
    expect(batch.status).toBe(400);
    expect(JSON.stringify(batch.body)).toContain('"path":"evidence.id"');
  });

  test("of a webhook's body is its sender's, and no reason to refuse it", async () => {
    const answer = await harness.now.call("POST", "/webhooks/github", { raw: '{"id": 750727362669608961}' });
    expect(answer.body.code).toBe("webhook_secret_not_configured");
  });
});

/** A whole number in any notation. */
function wholeOf(text: string): bigint {
  const [, sign, digits, exponent = "0"] = /^(-?)(\d+)(?:\.0+)?(?:e\+?(\d+))?$/i.exec(text)!;
  return BigInt(`${sign}${digits}`) * 10n ** BigInt(exponent);
}
