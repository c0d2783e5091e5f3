import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeUser, next } from "../factories.ts";
import { login } from "../sessions/sign_in.ts";
import { parseConfig } from "../../src/core/config.ts";
import { usePeople } from "./_people.ts";

const { admin, call, harness, someone } = usePeople();

const INVISIBLE = [
  "\u0000",
  "\u0007",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u00ad",
  "\u034f",
  "\u061c",
  "\u115f",
  "\u180e",
  "\u200b",
  "\u200d",
  "\u202e",
  "\u2028",
  "\u2060",
  "\u2066",
  "\u2800",
  "\u3164",
  "\ufe0f",
  "\ufeff",
  "\uffa0",
  "\u{1d173}",
  "\u{e0001}",
  "\u{e0100}",
];
const shown = (character: string) => `U+${character.codePointAt(0)!.toString(16)}`;

async function makeSurvey(): Promise<string> {
  const { token } = await makeUser(harness.now, { role: "super_admin" });
  const code = `forms-${next()}`;
  const questions = [{ key: "q", type: "text", text: "Why?" }];
  await call("POST", "/admin/scope-surveys", { token, body: { code, title: "Forms", questions } });
  return code;
}

describe("an email address", () => {
  test("with a character that nobody sees makes no second person", async () => {
    const { token, id } = await admin();
    const code = await makeSurvey();
    for (const character of INVISIBLE) {
      for (const email of [`bo${character}b@example.test`, `bob@example.te${character}st`]) {
        const made = await call("POST", "/users", { token, body: someone({ email }) });
        const changed = await call("PATCH", `/users/${id}`, { token, body: { email } });
        const answered = await call("POST", `/surveys/${code}/responses`, {
          body: { email, answers: { q: "x" } },
          address: `10.1.0.${next() % 250}`,
        });
        for (const { status, body } of [made, changed, answered]) {
          expect([status, Object.keys(body.fieldErrors ?? {})], shown(character)).toEqual([400, ["email"]]);
        }
        expect(() => parseConfig({ ADMIN_EMAIL: email }), shown(character)).toThrow(/^ADMIN_EMAIL: takes /);
      }
    }
  });

  test("of any format or control character is refused", async () => {
    const { token } = await admin();
    const character = fc.integer({ min: 0, max: 0x10ffff }).filter((point) =>
      point < 0xd800 || point > 0xdfff
    )
      .map((point) => String.fromCodePoint(point));
    await fc.assert(
      fc.asyncProperty(fc.oneof(character, fc.constantFrom(...INVISIBLE)), async (character) => {
        const email = `forms${next()}${character}x@example.test`;
        const { status } = await call("POST", "/users", { token, body: someone({ email }) });
        const isRefused = /[\p{Cc}\p{Cf}\p{Z}\p{DI}\u2800@]/u.test(character);
        expect(status, shown(character)).toBe(isRefused ? 400 : 201);
      }),
      { numRuns: 150 },
    );
  });

  test("is one in every canonical form: it is added once, signs in, and answers a survey once", async () => {
    const { token } = await admin();
    const [composed, decomposed] = ["NFC", "NFD"].map((form) =>
      `jörg.ångström${next()}@éxample.test`.normalize(form)
    );
    const email = decomposed!.replace(/\d+/, /\d+/.exec(composed!)![0]);
    const password = "a long password";
    const made = await call("POST", "/users", { token, body: someone({ email, password }) });
    expect(made.body.email).toBe(composed);
    for (const again of [composed!, email, email.toUpperCase()]) {
      expect((await call("POST", "/users", { token, body: someone({ email: again }) })).status).toBe(409);
      expect((await login(harness.now, { email: again, password })).status).toBe(200);
    }
    const other = await call("POST", "/users", { token, body: someone() });
    expect((await call("PATCH", `/users/${other.body.id}`, { token, body: { email } })).status).toBe(409);
    const code = await makeSurvey();
    const answer = (email: string) =>
      call("POST", `/surveys/${code}/responses`, { body: { email, answers: { q: "x" } } });
    expect((await answer(email)).status).toBe(201);
    expect((await answer(composed!)).status).toBe(409);
    const signedIn = await login(harness.now, { email, password });
    const own = { token: signedIn.body.access_token, body: { answers: { q: "mine" } } };
    expect((await call("POST", `/surveys/${code}/responses`, own)).status).toBe(201);
    const [row] = await harness.now.sql`
      select count(*) as n from survey_responses r join scope_surveys s on s.id = r.survey_id where s.code = ${code}`;
    expect(row).toEqual({ n: 1 });
  });

  test("that was stored decomposed is brought into the one form, unless it is another user's then", async () => {
    const sql = harness.now.sql;
    const [alone, twin] = [await makeUser(harness.now), await makeUser(harness.now)];
    const other = await makeUser(harness.now);
    const forms = (name: string) => ["NFC", "NFD"].map((form) => `${name}@example.test`.normalize(form));
    const [, oneDecomposed] = forms("élan");
    const [twinComposed, twinDecomposed] = forms("zoë");
    const store = (id: string, email: string) =>
      sql`update users set email = ${email} where id = ${id}::uuid`;
    await store(alone.id, oneDecomposed!);
    await store(twin.id, twinDecomposed!);
    await store(other.id, twinComposed!);
    await sql.unsafe(await migration("email_forms")).simple();
    const read = async (id: string) =>
      (await sql<[{ email: string }]>`select email from users where id = ${id}::uuid`)[0].email;
    expect(await read(alone.id)).toBe(forms("élan")[0]);
    expect([await read(twin.id), await read(other.id)]).toEqual([twinDecomposed, twinComposed]);
  });
});

async function migration(name: string): Promise<string> {
  const folder = new URL("../../db/migrations/", import.meta.url);
  for await (const file of Deno.readDir(folder)) {
    if (file.name.endsWith(`_${name}.sql`)) return await Deno.readTextFile(new URL(file.name, folder));
  }
  throw new Error(`no migration ${name}`);
}
