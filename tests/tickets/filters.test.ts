import { beforeAll, describe, expect, test } from "vitest";
import {
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  type TestProject,
  type TestTicket,
  type TestUser,
} from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;
let ada: TestUser;
let made: Record<string, TestTicket>;

async function call(method: string, path: string, body?: unknown, token = project.admin.token) {
  return await harness.now.call(method, path, { token, body });
}

async function done(method: string, path: string, body?: unknown, token?: string) {
  const answer = await call(method, path, body, token);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function list(q: string, token?: string) {
  return await call("GET", `${project.path}/tickets?q=${encodeURIComponent(q)}`, undefined, token);
}

/** The names under which the tickets were made that a text finds. */
async function found(q: string, token?: string): Promise<string[]> {
  const { status, body } = await list(q, token);
  expect(status, q).toBe(200);
  const names = new Map(Object.entries(made).map(([name, { id }]) => [id, name]));
  return body.tickets.map(({ id }: { id: string }) => names.get(id)).toSorted();
}

const all = () => Object.keys(made).toSorted();
const without = (...names: string[]) => all().filter((name) => !names.includes(name));

async function nameUser({ id }: TestUser, name: string): Promise<void> {
  await harness.now.sql`update users set name = ${name} where id = ${id}::uuid`;
}

/** Today in the project's time zone, or some days after it. */
function day(after = 0, zone = "Pacific/Kiritimati"): string {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date());
  const date = new Date(today);
  date.setUTCDate(date.getUTCDate() + after);
  return date.toISOString().slice(0, 10);
}

beforeAll(async () => {
  project = await makeProject(harness.now);
  ada = await makeMember(harness.now, project, "member");
  await nameUser(ada, "Ada Lovelace");
  for (const name of ["ui", "API", "needs design", "none", '5" disk']) {
    await done("POST", `${project.path}/labels`, { name });
  }
  const milestone = await done("POST", `${project.path}/milestones`, { name: "1.0" });
  const add = async (name: string, fields: object) => {
    made[name] = await makeTicket(harness.now, project, { title: `The ${name} of it`, ...fields });
  };
  made = {};
  await add("plain", {});
  await add("labelled", { labels: ["ui", "needs design"], roles: ["backend", "qa"] });
  await add("other", { labels: ["api", '5" disk'], priority: "high", request_type: "feature_request" });
  await add("named none", { labels: ["none"], blocking: true, priority: "low" });
  await add("assigned", { assignee_user_id: ada.id, milestone_id: milestone.id, estimate: 5 });
  await add("mine", { assignee_user_id: project.admin.id, estimate: 0.5 });
  await add("child", { parent_id: made["plain"]!.ref });
  await add("grandchild", { parent_id: made["child"]!.ref });
  await done("POST", `${made["other"]!.path}/links`, { kind: "blocked_by", ticket: made["plain"]!.ref });
  await done("PATCH", made["named none"]!.path, { stage: "live" });
});

describe("a text with filters finds tickets by", () => {
  test("labels, whose names compare without case and quotes", async () => {
    expect(await found("label:UI")).toEqual(["labelled"]);
    expect(await found("label:ui,api")).toEqual(["labelled", "other"]);
    expect(await found('label:ui label:"Needs  Design"')).toEqual(["labelled"]);
    expect(await found("label:ui label:api")).toEqual([]);
    expect(await found('label:"none"')).toEqual(["named none"]);
    expect(await found('label:"5 disk"')).toEqual(["other"]);
    expect(await found("label:none")).toEqual(without("labelled", "other", "named none"));
    expect(await found("-label:ui,api")).toEqual(without("labelled", "other"));
    expect(await found("-label:none")).toEqual(["labelled", "named none", "other"]);
  });

  test("people, by name, the beginning of a word of it, address or id", async () => {
    for (const one of ['"ada lovelace"', "ADA", "lovelace", "@ada", ada.email, ada.id]) {
      expect(await found(`assignee:${one}`), one).toEqual(["assigned"]);
    }
    expect(await found("assignee:me")).toEqual(["mine"]);
    expect(await found("assignee:me", ada.token)).toEqual(["assigned"]);
    expect(await found("assignee:me,ada")).toEqual(["assigned", "mine"]);
    expect(await found("assignee:none")).toEqual(without("assigned", "mine"));
    expect(await found("-assignee:me")).toEqual(without("mine"));
    expect(await found("author:me")).toEqual(all());
    expect(await found("author:ada")).toEqual([]);
  });

  test("milestone, estimate, parents and links", async () => {
    expect(await found('milestone:"1.0"')).toEqual(["assigned"]);
    expect(await found("-milestone:none")).toEqual(["assigned"]);
    expect(await found("estimate:>3")).toEqual(["assigned"]);
    expect(await found("estimate:0.5,8")).toEqual(["mine"]);
    expect(await found("estimate:0.5..5")).toEqual(["assigned", "mine"]);
    expect(await found("estimate:<5")).toEqual(["mine"]);
    expect(await found("estimate:none")).toEqual(without("assigned", "mine"));
    const { ref, id } = made["plain"]!;
    expect(await found(`parent:${ref}`)).toEqual(["child"]);
    expect(await found(`parent:${ref.toLowerCase()},${made["child"]!.id}`)).toEqual(["child", "grandchild"]);
    expect(await found("parent:none")).toEqual(without("child", "grandchild"));
    expect(await found(`children-of:${id}`)).toEqual(["child", "grandchild"]);
    expect(await found(`link:${ref}`)).toEqual(["other"]);
    expect(await found(`link:${made["other"]!.ref}`)).toEqual(["plain"]);
  });

  test("words of fixed lists", async () => {
    expect(await found("is:closed")).toEqual(["named none"]);
    expect(await found("is:open")).toEqual(without("named none"));
    expect(await found("is:blocked")).toEqual(["other"]);
    expect(await found("is:blocking")).toEqual(["named none"]);
    expect(await found("is:blocked,blocking")).toEqual(["named none", "other"]);
    expect(await found("stage:live")).toEqual(["named none"]);
    expect(await found("stage:backlog,live")).toEqual(all());
    expect(await found("-stage:live")).toEqual(without("named none"));
    expect(await found("type:feature_request")).toEqual(["other"]);
    expect(await found("priority:high,low")).toEqual(["named none", "other"]);
    expect(await found("role:qa")).toEqual(["labelled"]);
    expect(await found("-role:qa,backend")).toEqual(without("labelled"));
    expect(await found("waiting:person")).toEqual([]);
    await done("POST", `${made["plain"]!.path}/questions`, {
      prompt: "Which one?",
      resolver: "human_only",
    });
    expect(await found("waiting:person")).toEqual(["plain"]);
    expect(await found("waiting:person -is:blocked label:none")).toEqual(["plain"]);
    expect(await found("-waiting:person,agent")).toEqual(without("plain"));
  });

  test("their words, too", async () => {
    expect(await found("grandchild")).toEqual(["grandchild"]);
    expect(await found(`child or grandchild children-of:${made["child"]!.ref}`)).toEqual(["grandchild"]);
    expect(await found("labelled label:api")).toEqual([]);
    expect(await found('"label:ui"')).toEqual([]);
    expect(await found("https://example.org")).toEqual([]);
  });

  test("who does and watches them", async () => {
    const eve = await makeMember(harness.now, project, "member");
    expect(await found("is:mine", eve.token)).toEqual([]);
    expect(await found("is:mine", ada.token)).toEqual(["assigned"]);
    const task = await done("POST", `${made["plain"]!.path}/tasks`, {
      title: "Do it",
      role: "backend",
      assignee_user_id: eve.id,
    });
    expect(await found("is:mine", eve.token)).toEqual(["plain"]);
    expect(await found("is:watched", eve.token)).toEqual(["plain"]);
    await done("PUT", `${made["child"]!.path}/watch`, undefined, eve.token);
    expect(await found("is:watched", eve.token)).toEqual(["child", "plain"]);
    await done("DELETE", `${made["plain"]!.path}/watch`, undefined, eve.token);
    expect(await found("is:watched", eve.token)).toEqual(["child"]);
    expect(await found("-is:watched", eve.token)).toEqual(without("child"));
    expect(await found("is:watched")).toEqual(all());
    await done("PATCH", `${made["plain"]!.path}/tasks/${task.id}`, { status: "skipped" });
    expect(await found("is:mine", eve.token)).toEqual([]);
  });
});

describe("days", () => {
  test("end in the project's time zone", async () => {
    const { path } = await makeTicket(harness.now, project, { due_on: day() });
    const finds = async (q: string) => (await list(q)).body.tickets.length === 1;
    for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      await done("PATCH", project.path, { time_zone: zone });
      await done("PATCH", path, { due_on: day(0, zone) });
      expect(await finds("due:today"), zone).toBe(true);
      expect(await finds("is:overdue"), zone).toBe(false);
      expect(await finds(`due:<1d due:${day(0, zone)}`), zone).toBe(true);
      await done("PATCH", path, { due_on: day(-1, zone) });
      expect(await finds("due:today"), zone).toBe(false);
      expect(await finds("due:overdue"), zone).toBe(true);
      expect(await finds("is:overdue"), zone).toBe(true);
      await done("PATCH", path, { due_on: day(6, zone) });
      expect(await finds("due:<7d"), zone).toBe(true);
      expect(await finds("due:<6d"), zone).toBe(false);
      expect(await finds("due:>5d"), zone).toBe(true);
      expect(await finds(`due:..${day(5, zone)}`), zone).toBe(false);
    }
    await done("PATCH", path, { stage: "live", due_on: day(-1) });
    expect(await finds("is:overdue")).toBe(false);
    expect((await list("-due:none")).body.tickets).toHaveLength(1);
  });

  test("are those on which tickets were made, changed and closed", async () => {
    await done("PATCH", project.path, { time_zone: "Pacific/Kiritimati" });
    const other = await makeTicket(harness.now, project, { title: "Long ago" });
    // 2019-12-31 in UTC, and the next day where the project's days end.
    await harness.now.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update tickets set created_at = '2019-12-31T12:00:00Z', updated_at = '2020-01-02T12:00:00Z',
        stage = 'live', status = 'closed', closed_at = '2020-01-02T12:00:00Z' where id = ${other.id}::uuid`;
    });
    const finds = async (q: string) =>
      (await list(`"long ago" ${q}`)).body.tickets.map(({ id }: { id: string }) => id).includes(other.id);
    expect(await finds("created:2020-01-01")).toBe(true);
    expect(await finds("created:2019-12-31")).toBe(false);
    expect(await finds("created:<2020-01-02 created:>=2020-01-01")).toBe(true);
    expect(await finds("updated:2020-01-03 closed:2020-01-01..2020-01-03")).toBe(true);
    expect(await finds("closed:<=2020-01-02")).toBe(false);
    expect(await finds("created:<30d")).toBe(false);
    expect(await finds("created:>30d -closed:<30d")).toBe(true);
    expect(await found("created:today -is:closed")).toEqual(without("named none"));
    expect(await found("-closed:>2000-01-01")).toEqual(without("named none"));
  });
});

describe("an unknown value", () => {
  test("finds nothing and is named with the nearest ones", async () => {
    const { body } = await list("label:desing,uii priority:urgent");
    expect(body.tickets).toEqual([]);
    expect(
      body.unrecognized.map(({ key, value, nearest }: Record<string, string[]>) => [key, value, nearest![0]]),
    )
      .toEqual([["label", "desing", "needs design"], ["label", "uii", "ui"], ["priority", "urgent", "high"]]);
    expect((await list("label:ui")).body).not.toHaveProperty("unrecognized");
    expect((await list("plain")).body).not.toHaveProperty("unrecognized");
  });

  test("beside a known one leaves what this one finds, unless it is excluded", async () => {
    expect(await found("label:ui,uii")).toEqual(["labelled"]);
    expect(await found("-label:ui,uii")).toEqual([]);
    expect(await found("-label:uii")).toEqual([]);
  });

  test("may be anything that is no value of its key", async () => {
    const stranger = await makeTicket(harness.now, await makeProject(harness.now));
    const values = [
      "assignee:nobody",
      `assignee:${crypto.randomUUID()}`,
      "author:nobody",
      "milestone:2.0",
      "column:doing",
      `parent:${project.key}-9999`,
      `parent:${stranger.ref}`,
      `link:${stranger.id}`,
      "children-of:12",
      "is:done",
      "stage:doing",
      "due:soon",
      "created:none",
      "estimate:many",
    ];
    for (const value of values) {
      const { status, body } = await list(value);
      expect([status, body.tickets], value).toEqual([200, []]);
      const [key, ...rest] = value.split(":");
      expect(body.unrecognized, value).toMatchObject([{ key, value: rest.join(":") }]);
    }
    expect((await list("parent:12")).body.unrecognized[0].nearest).toEqual([`${project.key}-12`]);
  });

  test("is a name of which only few are told, each of them cut", async () => {
    const many = Array.from({ length: 50 }, (_, at) => `unknown${at}`).join(",");
    expect((await list(`label:${many}`)).body.unrecognized).toHaveLength(10);
    const { body } = await list(`label:${"x".repeat(1000)}`);
    expect(body.unrecognized[0].value).toHaveLength(101);
  });

  test("is what a ticket of a project is that the caller doesn't see", async () => {
    const secret = await makeProject(harness.now, { admin: project.admin });
    const hidden = await makeTicket(harness.now, secret);
    await done("POST", `${made["plain"]!.path}/links`, { kind: "relates", ticket: hidden.ref });
    expect(await found(`link:${hidden.ref}`)).toEqual(["plain"]);
    for (const name of [hidden.ref, hidden.id]) {
      const { body } = await list(`link:${name}`, ada.token);
      expect([body.tickets, body.unrecognized[0]]).toEqual([[], { key: "link", value: name, nearest: [] }]);
    }
  });
});

test("the column of a stage is a filter, and a ticket whose stage has none is in none", async () => {
  const own = await makeProject(harness.now);
  const of = (method: string, path: string, body?: unknown) =>
    done(method, `${own.path}${path}`, body, own.admin.token);
  const column = async (stage: string, name: string): Promise<string> =>
    (await of("POST", "/columns", { stage, name })).id;
  const names: Record<string, string> = {};
  const add = async (name: string, fields: Record<string, unknown> = {}) => {
    const { id, path } = await makeTicket(harness.now, own);
    names[id] = name;
    if (Object.keys(fields).length > 0) await done("PATCH", path, fields, own.admin.token);
  };
  await add("in the backlog");
  await add("there before", { stage: "in_progress" });
  // The oldest column has the tickets that stood in the stage, whichever column is the first.
  const [doing, review] = [await column("in_progress", "Doing"), await column("in_progress", "In review")];
  await of("POST", "/columns/reorder", { stage: "in_progress", column_ids: [review, doing] });
  await column("validation", "In Review");
  await add("came later", { stage: "in_progress" });
  await add("validated", { stage: "validation" });
  await add("closed", { stage: "live" });
  const found = async (query: string) => {
    const { tickets, unrecognized } = await of("GET", `/tickets?${query}`);
    return [tickets.map(({ id }: { id: string }) => names[id]).toSorted(), unrecognized];
  };
  const byText = async (q: string) => await found(`q=${encodeURIComponent(q)}`);
  expect(await byText("column:doing")).toEqual([["there before"], undefined]);
  expect(await byText('column:"IN  review"')).toEqual([["came later", "validated"], undefined]);
  expect(await byText('column:"in review" stage:validation')).toEqual([["validated"], undefined]);
  expect(await byText("column:none")).toEqual([["closed", "in the backlog"], undefined]);
  expect(await byText("column:doing,none -column:none")).toEqual([["there before"], undefined]);
  expect(await byText("-column:doing is:open")).toEqual([
    ["came later", "in the backlog", "validated"],
    undefined,
  ]);
  expect(await byText("column:reviw")).toEqual([[], [
    { key: "column", value: "reviw", nearest: ["In review", "Doing"] },
  ]]);
  expect(await found(`column_id=${doing}&sort=rank`)).toEqual([["there before"], undefined]);
  expect(await found(`column_id=${review}&q=ticket`)).toEqual([["came later"], undefined]);
  expect(await found(`column_id=${crypto.randomUUID()}`)).toEqual([[], undefined]);
  const counts = await of("GET", "/tickets/counts?by_column=true&q=-stage:validation");
  expect(counts).toEqual({
    stages: { backlog: 1, up_next: 0, in_progress: 2, validation: 0 },
    columns: { [doing]: 1, [review]: 1 },
  });
  await of("DELETE", `/columns/${doing}`);
  expect(await byText('column:"in review" stage:in_progress')).toEqual([
    ["came later", "there before"],
    undefined,
  ]);
  expect((await byText("column:doing"))[1]).toHaveLength(1);
});

test("labels that were merged or deleted are found as the list shows them", async () => {
  const from = await done("POST", `${project.path}/labels`, { name: "merged" });
  const into = await done("POST", `${project.path}/labels`, { name: "kept" });
  const { id } = await makeTicket(harness.now, project, { labels: ["merged"] });
  await done("POST", `${project.path}/labels/${from.id}/merge`, { into: into.id });
  const ids = async (q: string) => (await list(q)).body.tickets.map(({ id }: { id: string }) => id);
  expect(await ids("label:kept")).toEqual([id]);
  expect((await list("label:merged")).body.unrecognized).toMatchObject([{ value: "merged" }]);
  await done("DELETE", `${project.path}/labels/${into.id}`);
  expect((await list("label:kept")).body.unrecognized).toMatchObject([{ value: "kept" }]);
});

test("a person who has left is found as the author, and who was never here is not", async () => {
  const gone = await makeMember(harness.now, project, "member");
  await nameUser(gone, "Grace Hopper");
  const { status, body } = await call("POST", `${project.path}/tickets`, {
    title: "Written before she left",
    description: "A ticket whose author has left the project.",
    request_type: "bug",
    priority: "low",
    blocking: false,
  }, gone.token);
  expect(status).toBe(201);
  await done("DELETE", `${project.path}/members/${gone.id}`);
  const answer = await list("author:grace");
  expect(answer.body.tickets.map(({ id }: { id: string }) => id)).toEqual([body.ticket.id]);
  await nameUser(await makeUser(harness.now), "Mary Shelley");
  expect((await list("author:mary")).body.unrecognized).toHaveLength(1);
});

test.each([
  ["label:ui or label:api", "A comma means one of"],
  ["is:open ".repeat(21), "at most 20 filters"],
  [`label:${"a,".repeat(101)}`, "at most 100 values"],
  ["word ".repeat(51), "at most 200 characters"],
  ["x".repeat(2001), "characters"],
])("%s is refused as a whole", async (q, why) => {
  const { status, body } = await list(q);
  expect([status, body.code]).toEqual([400, "invalid_request"]);
  expect(body.fieldErrors.q).toContain(why);
});

test("all names are looked up by one statement, and none without a name", async () => {
  const { ref } = made["plain"]!;
  const sent = async (q: string) => {
    await list(q);
    return await harness.now.count(() => list(q));
  };
  const named = `label:ui,api -milestone:"1.0" assignee:ada author:me parent:${ref} link:${
    made["other"]!.id
  }`;
  expect(await sent(named) - await sent("is:open due:<7d assignee:me label:none")).toBe(1);
  expect(await sent("is:open due:<7d")).toBe(await sent("plain"));
});

describe("every call that takes such a text finds the same", () => {
  const TEXTS = ["is:open label:none", "-label:none", "assignee:me,ada", "is:blocked", "child"];

  test("the counts of the stages", async () => {
    for (const q of TEXTS) {
      const tickets = (await list(`${q} is:open`)).body.tickets as { stage: string }[];
      const { stages } = await done("GET", `${project.path}/tickets/counts?q=${encodeURIComponent(q)}`);
      const total = Object.values(stages as Record<string, number>).reduce((sum, count) => sum + count, 0);
      expect(total, q).toBe(tickets.length);
    }
    const counts = await done("GET", `${project.path}/tickets/counts?q=${encodeURIComponent("label:uii")}`);
    expect(counts.unrecognized).toMatchObject([{ value: "uii" }]);
  });

  test("a change of many tickets, which refuses an unknown value", async () => {
    const change = async (query: string) =>
      await call("POST", `${project.path}/tickets/bulk`, {
        action: "change",
        query,
        set: { priority: "high" },
        dry_run: true,
      });
    for (const q of TEXTS) {
      const ids = (await list(q)).body.tickets.map(({ id }: { id: string }) => id).toSorted();
      const { body } = await change(q);
      expect(body.results.map(({ id }: { id: string }) => id).toSorted(), q).toEqual(ids);
    }
    for (const [query, why] of [["-label:uii", '"ui"'], ["label:ui or label:api", "comma"]]) {
      const { status, body } = await change(query!);
      expect([status, body.code]).toEqual([400, "invalid_request"]);
      expect(body.fieldErrors.query).toContain(why);
    }
  });
});
