import { expect, test, vi } from "vitest";
import { makeMember, makeProject, ticketInput } from "../factories.ts";
import { type Answer, useHarness } from "../harness.ts";

const harness = useHarness();

test("creations that come together share statements, each with its own author in history", async () => {
  const project = await makeProject(harness.now);
  const people = [project.admin, await makeMember(harness.now, project, "member")];
  const create = (index: number) =>
    harness.now.call("POST", `${project.path}/tickets`, {
      token: people[index % 2]!.token,
      headers: { "X-Request-Id": `together-${index}` },
      body: ticketInput({ roles: ["qa"] }),
    });
  await Promise.all([create(0), create(1)]);
  let answers: Awaited<ReturnType<typeof create>>[] = [];
  const statements = await harness.now.count(async () => {
    answers = await Promise.all(Array.from({ length: 40 }, (_, index) => create(index)));
  });
  expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(201));
  expect(statements).toBeLessThan(answers.length);

  for (const index of [0, 1, 38, 39]) {
    const { id } = answers[index]!.body.ticket;
    const history = await harness.now.sql<{ entity: string; author: string; request_id: string }[]>`
      select entity, actor ->> 'id' as author, request_id from history_entries where ticket_id = ${id}::uuid order by entity desc`;
    const author = people[index % 2]!.id;
    expect(history).toEqual([
      { entity: "ticket", author, request_id: `together-${index}` },
      { entity: "role", author, request_id: `together-${index}` },
    ]);
  }
});

test("what comes together of two projects stays each one's own", async () => {
  const projects = [await makeProject(harness.now), await makeProject(harness.now)];
  const both = (method: string, below: (index: number) => string, body?: (index: number) => object) =>
    Promise.all(Array.from({ length: 12 }, (_, index) => {
      const { path, admin } = projects[index % 2]!;
      return harness.now.call(method, `${path}/tickets${below(index)}`, {
        token: admin.token,
        body: body?.(index),
      });
    }));
  const ticketsOf = async (input: (index: number) => object) =>
    (await both("POST", () => "", input)).map(({ body }) => body.ticket);
  const made = await ticketsOf(() => ticketInput());
  expect(made.map(({ ticket_ref }) => ticket_ref.split("-")[0])).toEqual(
    made.map((_, index) => projects[index % 2]!.key),
  );
  const keyOfBoth = (index: number) => ticketInput({ idempotency_key: `key-${index >> 1}` });
  const keyed = await ticketsOf(keyOfBoth);
  expect(new Set(keyed.map(({ id }) => id)).size).toBe(keyed.length);
  expect(await ticketsOf(keyOfBoth)).toEqual(keyed);
  const tickets = await both("GET", (index) => `/${made[index].id}`);
  expect(tickets.map(({ body }) => body.id)).toEqual(made.map(({ id }) => id));
  const tasks = await both(
    "POST",
    (index) => `/${made[index].id}/tasks`,
    () => ({ title: "One", role: "qa" }),
  );
  const lists = await both("GET", (index) => `/${made[index].id}/tasks`);
  expect(lists.map(({ body }) => body.tasks)).toEqual(tasks.map(({ body }) => [body]));
});

test("one that the database refuses leaves those beside it alone", async () => {
  const project = await makeProject(harness.now);
  const create = (key: string) =>
    harness.now.call("POST", `${project.path}/tickets`, {
      token: project.admin.token,
      body: ticketInput({ idempotency_key: key }),
    });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => create(`key-${index % 20}`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const numbers = new Set(answers.map(({ body }) => Number(body.ticket.ticket_ref.split("-")[1])));
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});

test("a twin whose role was switched off since it was let in gets what the first one was answered", async () => {
  const project = await makeProject(harness.now);
  const { token } = project.admin;
  const create = () =>
    harness.now.call("POST", `${project.path}/tickets`, {
      token,
      body: ticketInput({ roles: ["qa"], idempotency_key: "twin" }),
    });
  const first = Promise.withResolvers<Answer>();
  vi.spyOn(harness.now.services.embedder, "embed").mockImplementationOnce(async () => {
    first.resolve(await create());
    const roles = [{ role: "qa", enabled: false }];
    await harness.now.call("PUT", "/settings/roles", { token, body: { roles } });
    return null;
  });
  const twin = await create();
  const { status, body } = await first.promise;
  expect([status, twin.status, twin.body]).toEqual([201, 200, { ...body, _idempotent_replay: true }]);
});

test("one whose role was switched off since it was let in leaves those beside it alone", async () => {
  const project = await makeProject(harness.now);
  const create = (roles: string[]) =>
    harness.now.call("POST", `${project.path}/tickets`, {
      token: project.admin.token,
      body: ticketInput({ roles }),
    });
  await create(["qa"]);
  // Another process disables the role, and this one doesn't know it yet.
  await harness.now.sql`update accounts set disabled_roles = '{qa}' where id = ${project.accountId}::uuid`;
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => create(index % 4 === 2 ? ["other", "qa"] : ["other"])),
  );
  const refused = answers.filter((_, index) => index % 4 === 2);
  for (const { status, body } of refused) {
    expect([status, body.fieldErrors]).toEqual([400, {
      "roles.1": "The role qa is disabled for this account",
    }]);
  }
  const made = answers.filter((answer) => !refused.includes(answer));
  const numbers = made.map(({ body }) => Number(body.ticket.ticket_ref.split("-")[1]));
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 9 }, (_, index) => index + 2));
});
