import { beforeAll, describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket, type TestUser, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);
let viewer: TestUser;
let ann: TestUser;
let ben: TestUser;
const ids: Record<string, string> = {};

const call = (method: string, path: string, body?: Record<string, unknown>, token = project.admin.token) =>
  harness.now.call(method, path, { token, ...(body && { body }) });

beforeAll(async () => {
  viewer = await makeMember(harness.now, project, "viewer");
  ann = await makeMember(harness.now, project, "member");
  ben = await makeMember(harness.now, project, "member");
  for (const name of ["ui", "api"]) {
    ids[name] = (await call("POST", `${project.path}/labels`, { name, color: "#2477b3" })).body.id;
  }
  for (const [name, due_on] of [["Later", "2999-02-01"], ["Sooner", "2999-01-01"]]) {
    ids[name!] = (await call("POST", `${project.path}/milestones`, { name, due_on })).body.id;
  }
  const make = (title: string, fields: Record<string, unknown>) =>
    makeTicket(harness.now, project, { title, ...fields });
  const parent = await make("Parent", { priority: "high", assignee_user_id: ann.id, labels: ["ui", "api"] });
  ids["parent"] = parent.id;
  await make("Child", { priority: "low", parent_id: parent.id, labels: ["ui"], milestone_id: ids["Later"] });
  await make("Of Ben", { priority: "low", assignee_user_id: ben.id, milestone_id: ids["Sooner"] });
  const closed = await make("Closed", { priority: "medium", assignee_user_id: ann.id });
  await call("PATCH", closed.path, { status: "closed", resolution_type: "wont_fix" });
  await makeTicket(harness.now, await makeProject(harness.now, { admin: project.admin }));
});

async function groups(by: string, query = "") {
  const { status, body } = await harness.now.call(
    "GET",
    `${project.path}/tickets/groups?by=${by}${query}`,
    viewer,
  );
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

async function shownBy(by: string, query = ""): Promise<[string, number][]> {
  const { groups: found } = await groups(by, query);
  return found.map((
    { value, name, count }: { value: string; name: string; count: number },
  ) => [name ?? value, count]);
}

async function titlesIn(by: string, group: string, query = ""): Promise<string[]> {
  const path = `${project.path}/tickets?group_by=${by}&group=${group}${query}`;
  const { status, body } = await harness.now.call("GET", path, viewer);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.tickets.map(({ title }: { title: string }) => title).toSorted();
}

describe("groups of tickets", () => {
  test("come in the field's own order, those without a value last, closed tickets counted", async () => {
    expect(await shownBy("stage")).toEqual([["backlog", 3], ["live", 1]]);
    expect(await shownBy("priority")).toEqual([["high", 1], ["medium", 1], ["low", 2]]);
    expect(await shownBy("label")).toEqual([["api", 1], ["ui", 2], ["none", 2]]);
    expect(await shownBy("milestone")).toEqual([["Sooner", 1], ["Later", 1], ["none", 2]]);
    expect(await shownBy("column")).toEqual([["backlog", 3], ["live", 1]]);
    const people = (await groups("assignee")).groups;
    expect(people.slice(0, -1)).toEqual(
      expect.arrayContaining(
        [ann, ben].map(({ id }) => expect.objectContaining({ value: id, name: "Test User" })),
      ),
    );
    expect(people.map(({ count }: { count: number }) => count).toSorted()).toEqual([1, 1, 2]);
    expect(people.at(-1)).toMatchObject({ value: "none", name: null, count: 1 });
    expect((await groups("parent")).groups).toEqual([
      { value: ids["parent"], name: "Parent", ref: `${project.key}-1`, color: null, count: 1 },
      { value: "none", name: null, ref: null, color: null, count: 3 },
    ]);
  });

  test("take the filters of the list", async () => {
    expect(await shownBy("priority", "&q=is:open+-label:api")).toEqual([["low", 2]]);
    expect(await shownBy("priority", "&status=closed")).toEqual([["medium", 1]]);
    expect(await groups("label", "&q=label:uii")).toMatchObject({
      groups: [],
      left_out: 0,
      unrecognized: [{ key: "label", value: "uii", nearest: ["ui", "api"] }],
    });
  });

  test("are listed one by one, and together they have each ticket", async () => {
    expect(await titlesIn("assignee", ann.id)).toEqual(["Closed", "Parent"]);
    expect(await titlesIn("assignee", ann.id, "&q=is:open")).toEqual(["Parent"]);
    expect(await titlesIn("label", ids["ui"]!)).toEqual(["Child", "Parent"]);
    expect(await titlesIn("label", "none")).toEqual(["Closed", "Of Ben"]);
    for (const by of ["stage", "column", "assignee", "priority", "milestone", "parent"]) {
      const all = await groups(by);
      const found = [];
      for (const { value, count } of all.groups) {
        const titles = await titlesIn(by, value);
        expect(titles, `${by} ${value}`).toHaveLength(count);
        found.push(...titles);
      }
      expect(found.toSorted(), by).toEqual(["Child", "Closed", "Of Ben", "Parent"]);
    }
  });

  test("by column are the columns of the stages that have some", async () => {
    const one = await call("POST", `${project.path}/columns`, { stage: "backlog", name: "Ideas" });
    const two = await call("POST", `${project.path}/columns`, { stage: "backlog", name: "Ready" });
    const { body: { tickets: [ticket] } } = await call("GET", `${project.path}/tickets?q=child`);
    await call("PATCH", `${project.path}/tickets/${ticket.id}`, { column_id: two.body.id });
    expect(await shownBy("column")).toEqual([["Ideas", 2], ["Ready", 1], ["live", 1]]);
    expect(await titlesIn("column", two.body.id)).toEqual(["Child"]);
    expect(await titlesIn("column", one.body.id)).toEqual(["Of Ben", "Parent"]);
  });

  test("by label follow a merge, and leave out a deleted label", async () => {
    const label = (await call("POST", `${project.path}/labels`, { name: "front" })).body.id;
    await makeTicket(harness.now, project, { title: "Front", labels: ["front", "ui"] });
    expect((await call("POST", `${project.path}/labels/${label}/merge`, { into: ids["ui"] })).status).toBe(
      200,
    );
    expect(await shownBy("label")).toEqual([["api", 1], ["ui", 3], ["none", 2]]);
    expect(await titlesIn("label", ids["ui"]!)).toEqual(["Child", "Front", "Parent"]);
  });

  test("refuse a group without its field, and a value that the field can't have", async () => {
    for (
      const [query, field] of [
        ["group=none", "group_by"],
        ["group_by=label", "group"],
        ["group_by=label&group=ui", "group"],
        ["group_by=priority&group=urgent", "group"],
      ]
    ) {
      const { status, body } = await harness.now.call("GET", `${project.path}/tickets?${query}`, viewer);
      expect([status, Object.keys(body.fieldErrors)], query).toEqual([400, [field]]);
    }
  });

  test("take one statement, however many they are", async () => {
    await groups("assignee");
    expect(await harness.now.count(() => groups("assignee"))).toBe(1);
  });

  test("are at most 200, the largest ones, and the others are counted", async () => {
    const many = await makeProject(harness.now, { admin: project.admin });
    const names = Array.from({ length: 205 }, (_, at) => `label ${at}`);
    await harness.now.sql`
      insert into labels (id, project_id, name, name_key, color)
      select gen_random_uuid(), ${many.id}::uuid, name, name, '#2477b3' from unnest(${names}::text[]) name`;
    for (let at = 0; at < 205; at += 30) {
      await makeTicket(harness.now, many, { labels: names.slice(at, at + 30) });
    }
    await makeTicket(harness.now, many, { labels: ["label 204"] });
    const { body } = await call("GET", `${many.path}/tickets/groups?by=label`);
    expect([body.groups.length, body.left_out]).toEqual([200, 5]);
    expect(body.groups.find(({ name }: { name: string }) => name === "label 204").count).toBe(2);
  });
});
