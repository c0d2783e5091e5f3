import { expect, test } from "vitest";
import { v7 as uuid } from "uuid";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  type TestProject,
  type TestTicket,
} from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

async function call(project: TestProject, method: string, path: string, body?: unknown, token?: string) {
  const answer = await harness.now.call(method, path, { token: token ?? project.admin.token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

async function referencesOf(project: TestProject, { path }: TestTicket, token?: string): Promise<string[]> {
  await harness.now.follow();
  const { references } = await call(project, "GET", `${path}/references`, undefined, token);
  return references.map(({ ticket_ref }: { ticket_ref: string }) => ticket_ref);
}

type Referring = { ticket: { ticket_ref: string }; parts: string[]; last_at: string };

async function referringTo(project: TestProject, { path }: TestTicket, token?: string) {
  await harness.now.follow();
  const { referring } = await call(project, "GET", `${path}/referring`, undefined, token);
  return referring.map(({ ticket, parts }: Referring) => [ticket.ticket_ref, ...parts]);
}

test("every text of a ticket that names another one counts, as long as it says so", async () => {
  const project = await makeProject(harness.now);
  const named = await makeTicket(harness.now, project, { title: "Named by all" });
  const by = await makeTicket(harness.now, project, {
    description: `It comes from ${named.ref}, see there.`,
  });
  expect(await referencesOf(project, by)).toEqual([named.ref]);
  expect(await referringTo(project, named)).toEqual([[by.ref, "ticket"]]);
  const { id } = await call(project, "POST", `${by.path}/comments`, { body: `**${named.ref}** again` });
  await call(project, "POST", `${by.path}/tasks`, {
    title: "Do",
    role: "backend",
    body: `As in ${named.ref}`,
  });
  await call(project, "POST", `${by.path}/test-cases`, { title: "Look", instruction: `Like ${named.ref}` });
  await call(project, "POST", `${by.path}/questions`, { kind: "question", prompt: `Is it ${named.ref}?` });
  expect(await referringTo(project, named)).toEqual([
    [by.ref, "comment", "question", "task", "test_case", "ticket"],
  ]);
  await call(project, "PATCH", `${by.path}/comments/${id}`, { body: `Not that one: \`${named.ref}\`` });
  await call(project, "PATCH", by.path, { description: "It comes from nowhere." });
  expect(await referringTo(project, named)).toEqual([[by.ref, "question", "task", "test_case"]]);
});

test("a deleted comment names nothing any more", async () => {
  const project = await makeProject(harness.now);
  const [named, by] = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
  const { id } = await call(project, "POST", `${by.path}/comments`, { body: `See ${named.ref}` });
  expect(await referringTo(project, named)).toEqual([[by.ref, "comment"]]);
  await harness.now.call("DELETE", `${by.path}/comments/${id}`, { token: project.admin.token });
  expect(await referringTo(project, named)).toEqual([]);
  expect(await referencesOf(project, by)).toEqual([]);
});

test("a ref counts also for a ticket that comes later, and under a key that the project had before", async () => {
  const project = await makeProject(harness.now);
  const by = await makeTicket(harness.now, project, {
    description: `Waits for ${project.key}-2, not for itself: ${project.key}-1`,
  });
  expect(await referencesOf(project, by)).toEqual([]);
  const later = await makeTicket(harness.now, project);
  expect(await referencesOf(project, by)).toEqual([later.ref]);
  const key = `N${project.key}`;
  await call(project, "PATCH", project.path, { key });
  expect(await referencesOf(project, by)).toEqual([`${key}-2`]);
  expect(await referringTo(project, later)).toEqual([[`${key}-1`, "ticket"]]);
});

test("who may not see the other project learns nothing of its tickets, from neither side", async () => {
  const project = await makeProject(harness.now);
  const secret = await makeProject(harness.now, { admin: project.admin });
  const other = await makeProject(harness.now);
  const reader = await makeMember(harness.now, project, "viewer");
  const open = await makeTicket(harness.now, project);
  const hidden = await makeTicket(harness.now, secret, {
    title: "The secret plan",
    description: `About ${open.ref} alone`,
  });
  await call(project, "POST", `${open.path}/comments`, { body: `${hidden.ref} ${other.key}-1 UTF-8` });
  await makeTicket(harness.now, other, { description: `Somebody else's ${open.ref}` });
  expect(await referencesOf(project, open)).toEqual([hidden.ref]);
  expect(await referringTo(project, open)).toEqual([[hidden.ref, "ticket"]]);
  const bound = await makeKey(harness.now, project.admin, { projectId: project.id });
  for (const { token } of [reader, bound]) {
    expect(await referencesOf(project, open, token)).toEqual([]);
    expect(await referringTo(project, open, token)).toEqual([]);
  }
});

test("the tickets that name one come in pages, the latest first, each once", async () => {
  const project = await makeProject(harness.now);
  const named = await makeTicket(harness.now, project);
  const refs: string[] = [];
  for (let at = 0; at < 5; at++) {
    const { ref } = await makeTicket(harness.now, project, {
      description: `Number ${at} names ${named.ref}`,
    });
    refs.unshift(ref);
  }
  await harness.now.follow();
  const seen: string[] = [];
  for (let cursor = ""; cursor !== null;) {
    const more = cursor && `&cursor=${cursor}`;
    const page = await call(project, "GET", `${named.path}/referring?limit=2${more}`);
    expect(page.referring.length).toBeLessThanOrEqual(2);
    seen.push(...page.referring.map(({ ticket }: Referring) => ticket.ticket_ref));
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(refs);
  const wrong = await harness.now.call("GET", `${named.path}/referring?cursor=abc`, {
    token: project.admin.token,
  });
  expect([wrong.status, wrong.body.code]).toEqual([400, "invalid_request"]);
});

test("imported texts count, whichever ticket comes first", async () => {
  const from = await makeProject(harness.now);
  const to = await makeProject(harness.now, { admin: from.admin });
  await makeTicket(harness.now, from, { description: `See ${to.key}-2 for the rest` });
  await makeTicket(harness.now, from);
  const { records } = await call(from, "GET", `${from.path}/export`);
  for (const record of records) {
    await call(to, "POST", `${to.path}/import`, { records: [{ ...record, id: uuid(), creation: null }] });
    await harness.now.follow();
  }
  const { tickets: [first, second] } = await call(to, "GET", `${to.path}/tickets?sort=created_at`);
  const path = (id: string) => ({ id, ref: "", path: `${to.path}/tickets/${id}` });
  expect(await referencesOf(to, path(first.id))).toEqual([second.ticket_ref]);
  expect(await referringTo(to, path(second.id))).toEqual(
    expect.arrayContaining([[first.ticket_ref, "ticket"]]),
  );
});

test("fifty changed texts cost as many statements as one", async () => {
  const project = await makeProject(harness.now);
  const named = await makeTicket(harness.now, project);
  await harness.now.follow();
  const cost = async (count: number) => {
    const ticket_ids: TestTicket[] = [];
    for (let at = 0; at < count; at++) {
      ticket_ids.push(
        await makeTicket(harness.now, project, { description: `Number ${at} names ${named.ref}` }),
      );
    }
    const statements = await harness.now.statementsOf(() => harness.now.follow());
    return statements.filter((text) => /ticket_references|h\.changes \?\|/.test(text)).length;
  };
  expect(await cost(1)).toBe(2);
  expect(await cost(40)).toBe(2);
});
