import { describe, expect, test } from "vitest";
import { makeKey, makeMember, type TestTicket } from "../factories.ts";
import { type Answer, useHarness, useSecondHarness } from "../harness.ts";
import { useTalk } from "../talk.ts";
import { until } from "../until.ts";

const harness = useHarness();
const second = useSecondHarness(harness);
const talk = useTalk(harness);

const waiters = () => harness.now.services.feed.size;

/** Begins to wait, and returns when the service has noticed the waiting call. */
async function wait(path: string, caller: { token: string } = talk.annsKey, seconds = 50) {
  const before = waiters();
  const answer = talk.call("GET", `${path}?wait=${seconds}`, undefined, caller);
  await until(() => waiters() > before);
  return { answer };
}

describe("waiting for an answer", () => {
  test("ends with it", async () => {
    const question = await talk.ask(await talk.newTicket());
    const { answer } = await wait(question.path);
    const answered = await talk.done("POST", `${question.path}/answer`, { text: "So" });
    expect((await answer).body).toEqual(answered);
    expect(waiters()).toBe(0);
  });

  test.each(["withdraw", "supersede", "close", "expire"])("ends when it ends otherwise: %s", async (how) => {
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket, { due_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { answer } = await wait(question.path);
    if (how === "withdraw") await talk.done("POST", `${question.path}/withdraw`);
    if (how === "supersede") await talk.done("POST", `${question.path}/supersede`, { prompt: "Or?" });
    if (how === "close") await talk.done("PATCH", ticket.path, { status: "closed" });
    if (how === "expire") {
      await harness.now.sql.begin(async (tx) => {
        await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
        await tx`update questions set due_at = now() where id = ${question.id}::uuid`;
      });
      await harness.now.run("expire-questions");
    }
    const status =
      { withdraw: "withdrawn", supersede: "superseded", close: "withdrawn", expire: "expired" }[how];
    expect((await answer).body.status).toBe(status);
  });

  test("answers at once where it isn't pending any more, and after its seconds where it still is", async () => {
    const question = await talk.ask(await talk.newTicket());
    expect((await talk.call("GET", `${question.path}?wait=1`)).body.status).toBe("pending");
    await talk.done("POST", `${question.path}/answer`, { text: "So" });
    expect((await talk.call("GET", `${question.path}?wait=50`)).body.status).toBe("answered");
    for (const bad of ["51", "-1", "x"]) {
      expect((await talk.call("GET", `${question.path}?wait=${bad}`)).status).toBe(400);
    }
  });

  test("is over for a client that goes away, and nothing of it is left", async () => {
    const question = await talk.ask(await talk.newTicket());
    const gone = new AbortController();
    const request = new Request(`http://handoff.test/api${question.path}?wait=50`, {
      headers: { authorization: `Bearer ${talk.annsKey.token}` },
      signal: gone.signal,
    });
    const answer = harness.now.fetch(request);
    await until(() => waiters() === 1);
    gone.abort();
    await until(() => waiters() === 0);
    await answer;
  });

  test("is over when its connection is cut", async () => {
    const question = await talk.ask(await talk.newTicket());
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => harness.now.fetch(request),
    );
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
    await connection.write(new TextEncoder().encode(
      `GET /api${question.path}?wait=50 HTTP/1.1\r\nhost: handoff.test\r\n` +
        `authorization: Bearer ${talk.annsKey.token}\r\n\r\n`,
    ));
    await until(() => waiters() === 1);
    connection.close();
    await until(() => waiters() === 0);
    await server.shutdown();
  });

  test("in another process hears of it as well", async () => {
    const question = await talk.ask(await talk.newTicket());
    const { answer } = await wait(question.path);
    await second.now.call("POST", `${question.path}/answer`, { token: talk.ben.token, body: { text: "So" } });
    expect((await answer).body.status).toBe("answered");
  });

  test("tells nobody who has lost the project since", async () => {
    const left = await makeMember(harness.now, talk.project, "viewer");
    const question = await talk.ask(await talk.newTicket());
    const { answer } = await wait(question.path, left);
    await talk.done("DELETE", `${talk.project.path}/members/${left.id}`, undefined, talk.project.admin);
    await talk.done("POST", `${question.path}/answer`, { text: "So" });
    expect((await answer).status).toBe(404);
  });

  test.each(["session", "key"])("tells nobody whose %s was revoked since", async (credential) => {
    const left = await makeMember(harness.now, talk.project, "viewer");
    const key = await makeKey(harness.now, left);
    const question = await talk.ask(await talk.newTicket());
    const { answer } = await wait(question.path, credential === "key" ? key : left);
    if (credential === "key") await talk.done("DELETE", `/keys/${key.id}`, undefined, left);
    else await talk.done("POST", "/auth/logout", undefined, left);
    await talk.done("POST", `${question.path}/answer`, { text: "So" });
    expect((await answer).status).toBe(401);
  });

  test("sends no statement for each waiter, whether a thousand begin, wait or are woken together", async () => {
    const WAITERS = 1000;
    const ticket = await talk.newTicket();
    const paths = await askMany(ticket, WAITERS);
    let waiting: Promise<Answer>[] = [];
    const begun = await statementsOf(async () => {
      waiting = paths.map((path) => talk.call("GET", `${path}?wait=50`, undefined, talk.annsKey));
      await until(() => waiters() === WAITERS);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    });
    const answered = paths.splice(0, 10);
    for (const path of answered) await talk.done("POST", `${path}/answer`, { text: "So" }, talk.ben);
    const first = await Promise.all(waiting.splice(0, answered.length));
    const woken = await statementsOf(async () => {
      await talk.done("PATCH", ticket.path, { status: "closed" });
      await Promise.all(waiting);
    });
    expect(new Set(first.map(({ body }) => body.answer?.text))).toEqual(new Set(["So"]));
    expect(new Set((await Promise.all(waiting)).map(({ body }) => body.status))).toEqual(
      new Set(["withdrawn"]),
    );
    expect(waiters()).toBe(0);
    expect([begun, woken].filter((statements) => statements > WAITERS / 10)).toEqual([]);
  });

  /** Asks questions on one ticket. Their events are past when it returns. */
  async function askMany(ticket: TestTicket, count: number): Promise<string[]> {
    const { sql } = harness.now;
    const { id } = await talk.ask(ticket);
    await sql.begin(async (tx) => {
      await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
      await tx`
        insert into questions select (jsonb_populate_record(q, jsonb_build_object('id', gen_random_uuid()))).*
        from questions q, generate_series(2, ${count}) where q.id = ${id}::uuid`;
    });
    await harness.now.numbered();
    const rows = await sql<{ id: string }[]>`select id from questions where ticket_id = ${ticket.id}::uuid`;
    return rows.map(({ id }) => `${ticket.path}/questions/${id}`);
  }

  async function statementsOf(work: () => Promise<unknown>): Promise<number> {
    const before = harness.now.statements.length;
    await work();
    return harness.now.statements.length - before;
  }
});
