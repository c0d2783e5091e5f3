import { v7 as uuid } from "uuid";
import { expect, test } from "vitest";
import { besideLock } from "../behind_lock.ts";
import { makeProject, makeTicket, type TestTicket } from "../factories.ts";
import { type Answer, useHarness } from "../harness.ts";

const harness = useHarness();

test("reads of tickets and their tasks that come together share statements, and each gets its own", async () => {
  const project = await makeProject(harness.now);
  const other = await makeProject(harness.now);
  const { token } = project.admin;
  const tickets: TestTicket[] = [];
  for (let number = 1; number <= 5; number++) {
    const ticket = await makeTicket(harness.now, project, { title: `Number ${number}` });
    for (let task = 1; task < number; task++) {
      await harness.now.call("POST", `${ticket.path}/tasks`, {
        token,
        body: { title: `Task ${task} of ${number}`, role: "qa" },
      });
    }
    tickets.push(ticket);
  }
  const foreign = await makeTicket(harness.now, other);
  const missing = [uuid(), foreign.id].map((id) => `${project.path}/tickets/${id}`);
  const paths = [
    ...tickets.map(({ path }) => path.toUpperCase().replace(/^.*TICKETS/, `${project.path}/tickets`)),
    ...missing,
  ];
  const get = (path: string) => harness.now.call("GET", path, { token });
  await get(paths[0]!);

  let details: Awaited<ReturnType<typeof get>>[] = [];
  let tasks: Awaited<ReturnType<typeof get>>[] = [];
  const statements = await harness.now.count(async () => {
    [details, tasks] = await Promise.all([
      Promise.all(paths.flatMap((path) => [path, path, path]).map(get)),
      Promise.all(paths.slice(1).map((path) => get(`${path}/tasks`))),
    ]);
  });
  // Twenty-one tickets take two or three statements, and so do six lists of tasks. Each missing
  // ticket takes one more statement.
  expect(statements).toBeLessThan(12);

  const titles = details.map(({ status, body }) => status === 200 ? body.title : status);
  expect(titles).toEqual(
    [1, 2, 3, 4, 5].flatMap((number) => Array(3).fill(`Number ${number}`)).concat(Array(6).fill(404)),
  );
  const lists = tasks.map(({ status, body }) =>
    status === 200 ? body.tasks.map(({ title }: { title: string }) => title) : status
  );
  expect(lists).toEqual([
    ["Task 1 of 2"],
    ["Task 1 of 3", "Task 2 of 3"],
    ["Task 1 of 4", "Task 2 of 4", "Task 3 of 4"],
    ["Task 1 of 5", "Task 2 of 5", "Task 3 of 5", "Task 4 of 5"],
    404,
    404,
  ]);
});

test("a read sees every write from before its call, no matter what was under way", async () => {
  const project = await makeProject(harness.now);
  const { token } = project.admin;
  const ticket = await makeTicket(harness.now, project);
  const readers = { stop: false };
  const noise = Array.from({ length: 4 }, async () => {
    while (!readers.stop) await harness.now.call("GET", ticket.path, { token });
  });
  for (let turn = 1; turn <= 30; turn++) {
    await harness.now.call("PATCH", ticket.path, { token, body: { title: `Title after turn ${turn}` } });
    expect((await harness.now.call("GET", ticket.path, { token })).body.title).toBe(
      `Title after turn ${turn}`,
    );
  }
  readers.stop = true;
  await Promise.all(noise);
});

test("a read from after its project got another key says that key, no matter what was under way", async () => {
  const project = await makeProject(harness.now);
  const ticket = await makeTicket(harness.now, project);
  const { token } = project.admin;
  const read = () => harness.now.call("GET", ticket.path, { token });
  await read();
  let later: Promise<Answer> | undefined;
  await besideLock(harness.now, (tx) => tx`lock table tickets in access exclusive mode`, {
    waits: read,
    passes: async () => {
      const renamed = await harness.now.call("PATCH", project.path, { token, body: { key: "RENAMED" } });
      await harness.now.call("GET", project.path, { token }); // knows the caller again
      later = read();
      return renamed;
    },
  });
  expect((await later!).body.ticket_ref).toBe("RENAMED-1");
});
