import { describe, expect, test } from "vitest";
import { makeMember } from "../factories.ts";
import { useHarness, useSecondHarness } from "../harness.ts";
import { useTalk } from "../talk.ts";
import { until } from "../until.ts";

const harness = useHarness();
const second = useSecondHarness(harness);
const talk = useTalk(harness);

const waiters = () => harness.now.services.feed.size;

/** Begins to wait, and answers once the service does so too. */
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

  test("in another process hears of it as well", async () => {
    const question = await talk.ask(await talk.newTicket());
    const { answer } = await wait(question.path);
    await second.now.call("POST", `${question.path}/answer`, { token: talk.ben.token, body: { text: "So" } });
    expect((await answer).body.status).toBe("answered");
  });

  test("tells nobody who has lost the project meanwhile", async () => {
    const left = await makeMember(harness.now, talk.project, "viewer");
    const question = await talk.ask(await talk.newTicket());
    const { answer } = await wait(question.path, left);
    await talk.done("DELETE", `${talk.project.path}/members/${left.id}`, undefined, talk.project.admin);
    await talk.done("POST", `${question.path}/answer`, { text: "So" });
    expect((await answer).status).toBe(404);
  });

  test("sends no statement for each waiter, however many wait", async () => {
    const ticket = await talk.newTicket();
    const questions = await Promise.all(Array.from({ length: 40 }, () => talk.ask(ticket)));
    const waiting = questions.map(({ path }) => talk.call("GET", `${path}?wait=50`, undefined, talk.annsKey));
    await until(() => waiters() === 40);
    const idle = async () => {
      const before = harness.now.statements.length;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return harness.now.statements.length - before;
    };
    const with40 = await idle();
    for (const { path } of questions) await talk.done("POST", `${path}/answer`, { text: "So" }, talk.ben);
    for (const answer of await Promise.all(waiting)) expect(answer.body.status).toBe("answered");
    expect(with40).toBeLessThan(20);
  });
});
