import { hash } from "@node-rs/argon2";
import { describe, expect, test } from "vitest";
import { makeUser, next } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { login, makePerson, type Person, signIn, statusOfMe } from "./sign_in.ts";

const harness = useHarness();

const FORMS = ["NFC", "NFD", "NFKC", "NFKD"] as const;
const COMPOSED = "Passwört-été-ﬁ";

/** A person whose hash was made of a decomposed password, before passwords were normalised. */
async function makeOldPerson(): Promise<Person> {
  const person = await makePerson(harness.now);
  const password = COMPOSED.normalize("NFD");
  const stored = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await harness.now.sql`update users set password_hash = ${stored} where id = ${person.id}::uuid`;
  return { ...person, password };
}

async function signsInByEveryForm(email: string, password: string): Promise<void> {
  for (const form of FORMS) {
    const answer = await login(harness.now, { email, password: password.normalize(form) });
    expect(answer.status, form).toBe(200);
  }
}

describe("a password", () => {
  test.each(FORMS)("that is set in the form %s signs in by every form", async (form) => {
    const { token } = await makeUser(harness.now, { role: "admin" });
    const email = `forms${next()}@example.test`;
    const password = COMPOSED.normalize(form);
    const made = await harness.now.call("POST", "/users", {
      token,
      body: { email, name: "Forms", password },
    });
    expect(made.status).toBe(201);
    await signsInByEveryForm(email, COMPOSED);
  });

  test("that an invitation sets does, and one that a change sets", async () => {
    const { token } = await makeUser(harness.now, { role: "admin" });
    const email = `forms${next()}@example.test`;
    const invited = await harness.now.call("POST", "/users", { token, body: { email, name: "Forms" } });
    const accepted = await harness.now.call("POST", "/users/invitations/accept", {
      body: { token: invited.body.invite_url.split("#")[1], password: COMPOSED.normalize("NFD") },
    });
    expect(accepted.status).toBe(200);
    await signsInByEveryForm(email, COMPOSED);
    const { access } = await signIn(harness.now, {
      ...await makePerson(harness.now),
      email,
      password: COMPOSED,
    });
    const changed = await harness.now.call("POST", "/auth/password", {
      token: access,
      body: { current_password: COMPOSED.normalize("NFKD"), new_password: `${COMPOSED}-2`.normalize("NFD") },
    });
    expect(changed.status).toBe(204);
    await signsInByEveryForm(email, `${COMPOSED}-2`);
  });

  test("is counted as it is hashed: accents are no characters of their own", async () => {
    const { token } = await makeUser(harness.now, { role: "admin" });
    const answer = await harness.now.call("POST", "/users", {
      token,
      body: { email: `forms${next()}@example.test`, name: "Forms", password: "éàüö".normalize("NFD") },
    });
    expect(answer).toMatchObject({ status: 400, body: { fieldErrors: { password: expect.any(String) } } });
  });
});

describe("a password that was hashed before passwords were normalised", () => {
  test("signs in as it was typed then, and by every form from then on", async () => {
    const person = await makeOldPerson();
    expect((await login(harness.now, { ...person, password: `${person.password}x` })).status).toBe(401);
    expect((await login(harness.now, person)).status).toBe(200);
    await signsInByEveryForm(person.email, COMPOSED);
  });

  test("signs in by several calls at once", async () => {
    const person = await makeOldPerson();
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(harness.now, person)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const { body } of answers) expect(await statusOfMe(harness.now, body.access_token)).toBe(200);
    await signsInByEveryForm(person.email, COMPOSED);
  });

  test("can be changed, also while somebody signs in with it", async () => {
    const person = await makeOldPerson();
    const { access } = await signIn(harness.now, person);
    const stored = await hash(person.password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    await harness.now.sql`update users set password_hash = ${stored} where id = ${person.id}::uuid`;
    const [changed] = await Promise.all([
      harness.now.call("POST", "/auth/password", {
        token: access,
        body: { current_password: person.password, new_password: "something new" },
      }),
      login(harness.now, person),
    ]);
    expect(changed.status).toBe(204);
    expect((await login(harness.now, { ...person, password: "something new" })).status).toBe(200);
    expect((await login(harness.now, person)).status).toBe(401);
  });
});
