import { beforeEach, describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;
beforeEach(async () => void (project = await makeProject(harness.now)));

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return harness.now.call(method, path, { token: project.admin.token, body, headers });
}

function place({ path }: TestTicket, body: Record<string, unknown>, headers?: Record<string, string>) {
  return call("POST", `${path}/place`, body, headers);
}

/** The refs of all tickets in the order by hand, read in pages. */
async function order(sort = "rank", limit = 200): Promise<string[]> {
  const refs: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { body } = await call("GET", `${project.path}/tickets?sort=${sort}&limit=${limit}${after}`);
    refs.push(...body.tickets.map(({ ticket_ref }: { ticket_ref: string }) => ticket_ref));
    cursor = body.next_cursor;
  }
  return refs;
}

async function some(count: number): Promise<TestTicket[]> {
  const tickets: TestTicket[] = [];
  for (let at = 0; at < count; at++) tickets.push(await makeTicket(harness.now, project));
  return tickets;
}

const refs = (tickets: TestTicket[]) => tickets.map(({ ref }) => ref);

describe("the order by hand", () => {
  test("has new tickets first, and keeps each placement, from page to page and backwards", async () => {
    const [a, b, c, d] = await some(4) as [TestTicket, TestTicket, TestTicket, TestTicket];
    expect(await order()).toEqual(refs([d, c, b, a]));
    const placed = await place(a, { before: c.ref });
    expect([placed.status, placed.body.version]).toEqual([200, 2]);
    expect(await order()).toEqual(refs([d, a, c, b]));
    await place(d, { after: b.id });
    expect(await order()).toEqual(refs([a, c, b, d]));
    await place(b, { before: a.ref.toLowerCase() });
    expect(await order()).toEqual(refs([b, a, c, d]));
    const [e] = await some(1) as [TestTicket];
    expect(await order()).toEqual(refs([e, b, a, c, d]));
    expect(await order("rank", 1)).toEqual(await order());
    expect(await order("-rank", 2)).toEqual((await order()).toReversed());
  });

  test("is told as what was done, and a ticket that stands there already stays as it is", async () => {
    const [a, b] = await some(2) as [TestTicket, TestTicket];
    expect((await place(a, { after: b.ref })).body.version).toBe(1);
    expect((await place(a, { before: b.ref })).body.version).toBe(2);
    expect((await place(a, { before: b.ref })).body.version).toBe(2);
    const { body: { history } } = await call("GET", `${a.path}/history`);
    expect(history.at(-1)).toMatchObject({
      entity: "ticket",
      action: "placed",
      field: null,
      to: { before: b.ref },
      actor: { id: project.admin.id },
    });
    expect(history).toHaveLength(2);
    await harness.now.numbered();
    const { body: { events } } = await call("GET", "/events?after=0&limit=200");
    expect(events.at(-1)).toMatchObject({ type: "ticket.placed", ticket: { id: a.id } });
  });

  test("is changed together with column and stage, past the same gates and under the same version", async () => {
    const [a, b] = await some(2) as [TestTicket, TestTicket];
    const column = async (stage: string, name: string) =>
      (await call("POST", `${project.path}/columns`, { stage, name, wip_limit: 1 })).body.id;
    const [first, second] = [await column("validation", "First"), await column("validation", "Second")];
    expect((await place(a, { stage: "validation" })).body).toMatchObject({ column_id: first, version: 2 });
    const both = await place(b, { stage: "validation", column_id: first, after: a.ref });
    expect(both.body).toMatchObject({ stage: "validation", column_id: first, over_limit: true, version: 2 });
    expect(await order()).toEqual(refs([a, b]));
    expect((await place(b, { column_id: second })).body).toMatchObject({ column_id: second, version: 3 });
    const stale = await place(b, { before: a.ref, column_id: first }, { "if-match": '"2"' });
    expect([stale.status, stale.body.code]).toEqual([412, "version_conflict"]);
    await call("POST", `${a.path}/test-cases`, { title: "Try", instruction: "Look." });
    const held = await place(a, { stage: "live", after: b.ref });
    expect([held.status, held.body.code]).toEqual([409, "human_tests_pending"]);
    expect(await order()).toEqual(refs([a, b]));
    const fresh = await place(b, { before: a.ref, column_id: first }, { "if-match": '"3"' });
    expect(fresh.body).toMatchObject({ column_id: first, version: 4 });
    expect(await order()).toEqual(refs([b, a]));
  });

  test("refuses a place that is none, and a caller who may not write", async () => {
    const [a] = await some(1) as [TestTicket];
    const other = await makeProject(harness.now, { admin: project.admin });
    const foreign = await makeTicket(harness.now, other);
    for (
      const [body, field] of [
        [{}, "before"],
        [{ before: a.ref }, "before"],
        [{ after: a.id }, "after"],
        [{ before: foreign.ref }, "before"],
        [{ after: `${project.key}-999` }, "after"],
        [{ before: foreign.ref, after: foreign.ref }, "after"],
        [{ before: "here" }, "before"],
        [{ column_id: crypto.randomUUID() }, "column_id"],
      ] as const
    ) {
      const { status, body: answer } = await place(a, body);
      expect([status, Object.keys(answer.fieldErrors ?? {})], JSON.stringify(body)).toEqual([400, [field]]);
    }
    const viewer = await makeMember(harness.now, project, "viewer");
    const [b] = await some(1) as [TestTicket];
    const refused = await harness.now.call("POST", `${a.path}/place`, {
      token: viewer.token,
      body: { before: b.ref },
    });
    expect(refused.status).toBe(403);
    expect(await order()).toEqual(refs([b, a]));
  });

  test("keeps the place of both who drop between the same neighbours at once", async () => {
    const tickets = await some(6);
    const [f, e] = [tickets[5]!, tickets[4]!];
    for (let round = 0; round < 5; round++) {
      const dropped = await Promise.all(
        tickets.slice(0, 4).map((ticket, at) => place(ticket, at % 2 ? { after: f.ref } : { before: e.ref })),
      );
      expect(dropped.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const refs = await order();
      expect([refs[0], refs[5]]).toEqual([f.ref, e.ref]);
      await Promise.all(tickets.slice(0, 4).map((ticket) => place(ticket, { after: e.ref })));
      expect((await order()).slice(0, 2)).toEqual([f.ref, e.ref]);
    }
  });

  test("is one order for all readers after 200 placements at once", async () => {
    const tickets = await some(20);
    const seeds = Array.from({ length: 200 }, (_, at) => [at * 7 % 20, (at * 7 + 1 + at * 13 % 19) % 20]);
    const answers = await Promise.all(
      seeds.map(([one, other], at) =>
        place(tickets[one!]!, { [at % 2 ? "before" : "after"]: tickets[other!]!.ref })
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [whole, pages] = [await order(), await order("rank", 3)];
    expect(pages).toEqual(whole);
    expect(whole.toSorted()).toEqual(refs(tickets).toSorted());
    const ranks = await harness.now.sql<{ rank: string }[]>`
      select distinct rank from tickets where project_id = ${project.id}::uuid`;
    expect(ranks.length).toBe(20);
  });

  test("goes on at one place, and a job makes long keys short again without a trace", async () => {
    const tickets = await some(4);
    const [anchor, ...others] = tickets.toReversed() as [TestTicket, ...TestTicket[]];
    const dropAll = async (drops: number) => {
      for (let drop = 0; drop < drops; drop++) await place(others[drop % 3]!, { after: anchor.ref });
    };
    const longest = async () =>
      (await harness.now.sql<[{ length: number }]>`
        select max(length(rank)) as length from tickets where project_id = ${project.id}::uuid`)[0].length;
    await dropAll(330);
    expect(await longest()).toBeGreaterThan(60);
    const last = refs([anchor, others[2]!, others[1]!, others[0]!]);
    expect(await order()).toEqual(last);
    const facts = () =>
      harness.now.sql`
        select t.id, t.version, t.updated_at, (select count(*) from history h where h.ticket_id = t.id) as history
        from tickets t where t.project_id = ${project.id}::uuid order by t.id`;
    const before = await facts();
    await harness.now.work("rebalance-ranks");
    expect(await longest()).toBeLessThanOrEqual(30);
    expect([await facts(), await order()]).toEqual([before, last]);
    // Without any job, a placement makes keys short before they are too long for a cursor.
    await harness.now.sql`
      update tickets set place = rank || repeat('0', 189) || 'V' where id = ${others[2]!.id}::uuid`;
    await dropAll(30);
    expect(await longest()).toBeLessThan(60);
    expect(await order()).toEqual(last);
  });

  test("costs a placement few statements", async () => {
    const [a, b] = await some(2) as [TestTicket, TestTicket];
    harness.now.services.access.clear();
    await place(a, { before: b.ref });
    expect(await harness.now.count(() => place(a, { after: b.ref }))).toBeLessThanOrEqual(11);
  });

  test("is kept by an export and an import", async () => {
    const [a, , c] = await some(3) as [TestTicket, TestTicket, TestTicket];
    await place(a, { before: c.ref });
    const exported = async (path: string) =>
      (await call("GET", `${path}/export`)).body.records.map((
        { history: _, project_keys: __, ...record }: Record<string, unknown>,
      ) => record);
    const records = (await exported(project.path)).map((one: object) => ({
      ...one,
      id: crypto.randomUUID(),
    }));
    const there = await makeProject(harness.now, { admin: project.admin });
    expect((await call("POST", `${there.path}/import`, { records })).body.imported).toBe(3);
    expect(await exported(there.path)).toEqual(records);
    const numbers = (refs: string[]) => refs.map((ref) => ref.split("-")[1]);
    const here = numbers(await order());
    project = there;
    expect(numbers(await order())).toEqual(here);
    for (const place of ["", "a", "a00", "a0-", "A".padEnd(27, "0"), "ä0", "a0".padEnd(201, "V")]) {
      const { status, body } = await call("POST", `${there.path}/import`, {
        records: [{ ...records[0], id: crypto.randomUUID(), number: 77, place }],
      });
      expect([status, Object.keys(body.fieldErrors)], place).toEqual([400, ["records.0.place"]]);
    }
  });

  test("goes on beside tickets that an import brought with the same key", async () => {
    const [a, b, c, d] = await some(4) as [TestTicket, TestTicket, TestTicket, TestTicket];
    await harness.now.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update tickets set place = 'a0' where id in (${b.id}::uuid, ${c.id}::uuid)`;
    });
    const twins = refs([b, c].toSorted((one, other) => one.id < other.id ? -1 : 1));
    expect((await place(d, { after: b.ref })).status).toBe(200);
    expect(await order()).toEqual([a.ref, ...twins, d.ref]);
    expect((await place(d, { before: c.ref })).status).toBe(200);
    expect(await order()).toEqual([a.ref, d.ref, ...twins]);
  });
});
