import { expect, test } from "vitest";
import { makeMember, makeProject, makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const call = (...args: Parameters<typeof harness.now.call>) => harness.now.call(...args);

test("the people of a project are all of its account who have a role in it, and nobody else", async () => {
  const project = await makeProject(harness.now);
  const { accountId, admin } = project;
  const root = await makeUser(harness.now, { accountId, role: "super_admin" });
  const viewer = await makeMember(harness.now, project, "viewer");
  const bot = await makeMember(harness.now, project, "member", "bot");
  await makeUser(harness.now, { accountId });
  await makeUser(harness.now, { role: "super_admin" });
  await makeUser(harness.now, { role: "admin" });
  await makeMember(harness.now, await makeProject(harness.now, { admin }), "admin");
  // An admin of the account who is also a member keeps all rights.
  await call("PUT", `${project.path}/members/${admin.id}`, { token: admin.token, body: { role: "viewer" } });

  await call("DELETE", `/users/${bot.id}`, { token: admin.token });
  const { status, body } = await call("GET", `${project.path}/people`, { token: viewer.token });
  expect(status).toBe(200);
  const person = { name: "Test User", email: null, kind: "human", deactivated_at: null };
  expect(body).toEqual({
    people: [
      { ...person, id: admin.id, role: "admin" },
      { ...person, id: root.id, role: "admin" },
      { ...person, id: viewer.id, role: "viewer" },
      { ...person, id: bot.id, role: "member", kind: "bot", deactivated_at: expect.any(String) },
    ].sort((a, b) => a.id < b.id ? -1 : 1),
    next_cursor: null,
  });
});

test("an admin of a project finds whom they can add by name or email, and others find nobody", async () => {
  const project = await makeProject(harness.now);
  const { accountId } = project;
  const lead = await makeMember(harness.now, project, "admin");
  const member = await makeMember(harness.now, project, "member");
  const free = await makeUser(harness.now, { accountId });
  const gone = await makeUser(harness.now, { accountId });
  await makeUser(harness.now, {});
  await call("DELETE", `/users/${gone.id}`, { token: project.admin.token });
  const found = async (q: string) => {
    const { body } = await call("GET", `${project.path}/candidates${q}`, { token: lead.token });
    return body.candidates.map(({ id }: { id: string }) => id);
  };
  expect(await found("")).toEqual([free.id]);
  const { email } = (await call("GET", `/users?q=test`, { token: project.admin.token })).body.users
    .find(({ id }: { id: string }) => id === free.id);
  expect(await found(`?q=${email.slice(0, -3)}`)).toEqual([free.id]);
  expect(await found("?q=nobody-of-this-name")).toEqual([]);
  expect((await call("GET", `${project.path}/candidates`, { token: member.token })).status).toBe(403);
  await call("PUT", `${project.path}/members/${free.id}`, { token: lead.token, body: { role: "viewer" } });
  expect(await found("")).toEqual([]);
});

test("they come in pages that hold each person once, also when others join in between; each page takes one statement", async () => {
  const project = await makeProject(harness.now);
  const people = [project.admin];
  for (let i = 0; i < 3; i++) people.push(await makeMember(harness.now, project, "member"));
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const path: string = `${project.path}/people?limit=2${cursor && `&cursor=${cursor}`}`;
    const read = () => call("GET", path, { token: project.admin.token });
    const { body } = await read();
    expect(await harness.now.count(read)).toBe(1);
    seen.push(...body.people.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
    if (seen.length === 2) people.push(await makeMember(harness.now, project, "viewer"));
  }
  expect(seen).toEqual(people.map(({ id }) => id));
});

test("people are found by the beginning of a word of their name among 300, or by their id, active or not", async () => {
  const project = await makeProject(harness.now);
  const { sql } = harness.now;
  await sql`
    with made as (
      insert into users (id, account_id, email, name, kind, role)
      select gen_random_uuid(), ${project.accountId}::uuid, 'many' || n || '@' || ${project.key} || '.test',
        (array['Élodie', 'Ana', 'Jean-Luc'])[1 + n % 3] || ' Person' || n, 'human', 'member'
      from generate_series(1, 300) n returning id
    )
    insert into project_members (project_id, user_id, role) select ${project.id}::uuid, id, 'member' from made`;
  const find = async (query: string) => {
    const { status, body } = await call("GET", `${project.path}/people?limit=200&${query}`, {
      token: project.admin.token,
    });
    expect(status).toBe(200);
    return body.people as { id: string; name: string }[];
  };
  expect(await find(`q=${encodeURIComponent("éLO")}`)).toHaveLength(100);
  const numbers = (await find("q=person29")).map(({ name }) => name.split(" ")[1]);
  expect(numbers.toSorted()).toEqual(["", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => `Person29${digit}`));
  expect(await find("q=erson29")).toEqual([]);
  // These characters have no meaning of their own here.
  for (const typed of ["%", "_", ".*", "(", "\\"]) {
    expect(await find(`q=${encodeURIComponent(typed)}`)).toEqual([]);
  }
  const [ana] = await find("q=ana%20person1");
  expect((await find(`user_id=${ana!.id}`)).map(({ id }) => id)).toEqual([ana!.id]);
  expect(await find(`user_id=${(await makeUser(harness.now)).id}`)).toEqual([]);
  await call("DELETE", `/users/${ana!.id}`, { token: project.admin.token });
  expect(await find(`user_id=${ana!.id}&deactivated=false`)).toEqual([]);
  expect((await find("deactivated=true")).map(({ id }) => id)).toEqual([ana!.id]);
});
