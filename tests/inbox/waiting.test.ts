import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { makeKey, makeMember, makeProject, makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { DECISION, useTalk } from "../talk.ts";

const harness = useHarness();
const talk = useTalk(harness);

interface Caller {
  token: string;
}

async function waiting(caller: Caller, query = "") {
  return (await talk.done("GET", `/waiting?limit=200${query}`, undefined, caller)).waiting;
}

const ids = async (caller: Caller, query = "") =>
  (await waiting(caller, query)).map(({ id }: { id: string }) => id);

describe("the waiting list", () => {
  test("has the questions that the caller may answer, until one of them is answered", async () => {
    const { project, ann, ben, bot, annsKey, bensKey } = talk;
    const viewer = await makeMember(harness.now, project, "viewer");
    const stranger = await makeUser(harness.now, { role: "admin" });
    const ticket = await talk.newTicket({ blocking: true });
    const forAll = await talk.ask(ticket, {}, annsKey);
    const forBen = await talk.ask(ticket, { addressee: { user_id: ben.id } }, annsKey);
    const forAdmins = await talk.ask(ticket, { addressee: { role: "admin" } }, annsKey);
    const forAgents = await talk.ask(ticket, { resolver: "not_creator" }, annsKey);
    const of = async (caller: Caller) => await ids(caller, "&kind=question");
    expect(await of(ann)).toEqual([forAll.id, forAgents.id]);
    expect(await of(ben)).toEqual([forAll.id, forBen.id, forAgents.id]);
    expect(await of(project.admin)).toEqual([forAll.id, forAdmins.id, forAgents.id]);
    expect(await of(bensKey)).toEqual([forAgents.id]);
    expect(await of(bot)).toEqual([forAgents.id]);
    for (const nobody of [annsKey, viewer, stranger]) expect(await of(nobody)).toEqual([]);
    expect((await waiting(ben, "&kind=question"))[0]).toMatchObject({
      kind: "question",
      title: forAll.prompt,
      since: forAll.created_at,
      age_seconds: expect.any(Number),
      blocks: { ticket: true, tasks: 0 },
      ticket: { id: ticket.id, ticket_ref: ticket.ref },
      project: { id: project.id, key: project.key },
    });
    await talk.done("POST", `${forAll.path}/answer`, { text: "So" }, ben);
    expect(await of(ann)).toEqual([forAgents.id]);
    await talk.done("PATCH", ticket.path, { status: "closed" }, ben);
    expect(await of(ben)).toEqual([]);
  });

  test("gives the admins what its addressee can't answer any more", async () => {
    const { project } = talk;
    const left = await makeMember(harness.now, project, "member");
    const question = await talk.ask(await talk.newTicket(), { addressee: { user_id: left.id } });
    expect(await ids(project.admin)).not.toContain(question.id);
    await talk.done("DELETE", `${project.path}/members/${left.id}`, undefined, project.admin);
    expect(await ids(project.admin)).toContain(question.id);
    expect(await ids(left)).toEqual([]);
    await talk.done("POST", `${question.path}/withdraw`);
  });

  test("has test cases in validation for people, and tasks for whom they were assigned to, once ready", async () => {
    const { ben, bensKey, bot } = talk;
    const ticket = await talk.newTicket();
    const testCase = await talk.done("POST", `${ticket.path}/test-cases`, {
      title: "Try",
      instruction: "Look.",
    });
    const first = await talk.done("POST", `${ticket.path}/tasks`, { title: "First", role: "qa" });
    const second = await talk.done("POST", `${ticket.path}/tasks`, {
      title: "Second",
      role: "qa",
      assignee_user_id: ben.id,
      depends_on_task_ids: [first.id],
    });
    expect(await ids(ben)).toEqual([]);
    await talk.done("PATCH", ticket.path, { stage: "validation" });
    expect(await ids(ben)).toEqual([testCase.id]);
    expect(await ids(bot)).toEqual([]);
    await talk.done("PATCH", `${ticket.path}/tasks/${first.id}`, { status: "skipped" });
    expect(await ids(ben, "&kind=task")).toEqual([second.id]);
    expect(await ids(bensKey)).toEqual([second.id]);
    const narrow = await makeKey(harness.now, ben, { scopes: ["tickets:read"] });
    expect(await ids(narrow)).toEqual([]);
    await talk.done("POST", `${ticket.path}/test-cases/${testCase.id}/approve`, {}, ben);
    await talk.done("POST", `${ticket.path}/tasks/${second.id}/claim`, {}, ben);
    expect(await ids(ben)).toEqual([]);
  });

  test("has failed agent runs for admins, until a newer run or the ticket's end", async () => {
    const { project } = talk;
    const ticket = await talk.newTicket();
    const run = await talk.done("POST", `${ticket.path}/agent-runs`, { agent_id: `bc_${uuid()}` });
    const fail = (id: string) =>
      harness.now.sql.begin(async (tx) => {
        await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
        await tx`update agent_runs set status = 'failed', summary = 'Out of memory' where id = ${id}::uuid`;
      });
    expect(await ids(project.admin, "&kind=agent_run")).toEqual([]);
    await fail(run.id);
    expect(await waiting(project.admin, "&kind=agent_run")).toMatchObject([{
      id: run.id,
      title: "Out of memory",
    }]);
    expect(await ids(talk.ben)).not.toContain(run.id);
    await talk.done("POST", `${ticket.path}/agent-runs`, { agent_id: `bc_${uuid()}` });
    expect(await ids(project.admin, "&kind=agent_run")).toEqual([]);
  });

  test("has dead letters for super admins", async () => {
    const root = await makeUser(harness.now, { role: "super_admin" });
    await harness.now.boss.send("close-parked-tickets-dead", { repo: "a/b", sha: "0".repeat(40) });
    expect(await waiting(root, "&kind=dead_letter")).toMatchObject([
      { kind: "dead_letter", title: "close-parked-tickets-dead", ticket: null, project: null },
    ]);
    expect(await ids(talk.project.admin, "&kind=dead_letter")).toEqual([]);
  });

  test("puts what blocks most first, then the oldest, page by page", async () => {
    const other = await makeProject(harness.now, { admin: talk.project.admin });
    const key = await makeKey(harness.now, talk.project.admin);
    const ask = async (fields: Record<string, unknown>, task: boolean) => {
      const { ticket } = await talk.done("POST", `${other.path}/tickets`, {
        title: "Something",
        description: "What is asked for.",
        request_type: "bug",
        priority: "low",
        blocking: false,
        ...fields,
      }, talk.project.admin);
      const path = `${other.path}/tickets/${ticket.id}`;
      const task_id = task && (await talk.done("POST", `${path}/tasks`, { title: "x", role: "qa" }, key)).id;
      return (await talk.done("POST", `${path}/questions`, {
        prompt: "?",
        ...DECISION,
        ...(task_id && { task_id }),
      }, key)).id;
    };
    const plain = [await ask({}, false), await ask({}, false)];
    const withTask = await ask({}, true);
    const blocking = await ask({ blocking: true }, false);
    const both = await ask({ blocking: true }, true);
    const expected = [both, blocking, withTask, ...plain];
    const query = `&project_id=${other.id}`;
    expect(await ids(talk.project.admin, query)).toEqual(expected);
    const seen: string[] = [];
    let cursor = "";
    do {
      const body = await talk.done("GET", `/waiting?limit=2${query}${cursor}`, undefined, talk.project.admin);
      expect(body.total).toBe(5);
      seen.push(...body.waiting.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
    } while (cursor !== "");
    expect(seen).toEqual(expected);
    expect(await ids(await makeKey(harness.now, talk.project.admin, { projectId: talk.project.id }), query))
      .toEqual([]);
  });

  test("costs one statement", async () => {
    await waiting(talk.ben);
    expect(await harness.now.count(() => waiting(talk.ben))).toBe(1);
  });
});
