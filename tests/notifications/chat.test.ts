import { afterAll, beforeEach, expect, test } from "vitest";
import { seal } from "../../src/core/sealed.ts";
import { makeMember } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { useTalk } from "../talk.ts";

const posted: { path: string; body: { text: string } }[] = [];
let answer = 200;
const receiver = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
  posted.push({ path: new URL(request.url).pathname, body: await request.json() });
  return new Response("ok", { status: answer, headers: answer === 429 ? { "retry-after": "600" } : {} });
});
afterAll(() => receiver.shutdown());
const hook = `http://127.0.0.1:${receiver.addr.port}/hooks/c0ffee`;

const harness = useHarness({ env: { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1" } });
const talk = useTalk(harness);
const deliver = () => harness.now.run("deliver-notifications");
const set = (body: Record<string, unknown>, who: { token: string }) =>
  talk.call("PUT", "/settings/notifications", { mail: "all", ...body }, who);

beforeEach(() => {
  posted.length = 0;
  answer = 200;
});

test("a chat hook is told of what is urgent, and its address is shown to nobody", async () => {
  const reader = await makeMember(harness.now, talk.project, "member");
  const saved = await set({ chat_url: hook }, reader);
  expect(saved.body).toEqual({
    mail: "all",
    mail_available: false,
    chat_host: `127.0.0.1:${receiver.addr.port}`,
  });
  const rows = await harness.now
    .sql`select chat_url from notification_settings where user_id = ${reader.id}::uuid`;
  expect(rows[0]!.chat_url).not.toContain("c0ffee");
  const ticket = await talk.newTicket();
  await talk.ask(ticket, { prompt: "Ship <!channel> it?", addressee: { user_id: reader.id } });
  await deliver();
  await deliver();
  expect(posted).toEqual([{
    path: "/hooks/c0ffee",
    body: {
      text:
        `${ticket.ref} Test User asks: Ship !channel it?\nhttp://handoff.test/${talk.project.key}/tickets/${ticket.ref}`,
    },
  }]);
  await set({ chat_url: null }, reader);
  await talk.ask(ticket, { addressee: { user_id: reader.id } });
  await deliver();
  expect(posted).toHaveLength(1);
});

test("a hook that fails is tried again, and one that is gone isn't", async () => {
  for (const [status, state] of [[500, "pending"], [410, "refused"]] as const) {
    const reader = await makeMember(harness.now, talk.project, "member");
    await set({ chat_url: hook }, reader);
    await talk.ask(await talk.newTicket(), { addressee: { user_id: reader.id } });
    answer = status;
    await deliver();
    const [message] = await harness.now
      .sql`select state, tries from messages where user_id = ${reader.id}::uuid`;
    expect(message).toEqual({ state, tries: 1 });
  }
});

test("a hook that says later is left alone, with all messages to it", async () => {
  const [reader, other] = [
    await makeMember(harness.now, talk.project, "member"),
    await makeMember(harness.now, talk.project, "member"),
  ];
  for (const who of [reader, other]) await set({ mail: "none", chat_url: hook }, who);
  const ask = async ({ id }: { id: string }) =>
    void await talk.ask(await talk.newTicket(), { addressee: { user_id: id } });
  answer = 429;
  await ask(reader);
  await deliver();
  answer = 200;
  await ask(reader);
  await ask(other);
  await deliver();
  // The second one is for another person, whose hook has said nothing.
  expect(posted).toHaveLength(2);
  await harness.now.sql`
    update notification_settings set chat_rests_until = now() where user_id = ${reader.id}::uuid`;
  await harness.now.sql`
    update messages set next_try_at = now() where state = 'pending' and user_id = ${reader.id}::uuid`;
  await deliver();
  expect(posted).toHaveLength(4);
  answer = 429;
  await ask(reader);
  await deliver();
  answer = 200;
  await set({ chat_url: `${hook}2` }, reader);
  await ask(reader);
  await deliver();
  expect(posted.map(({ path }) => path).slice(5)).toEqual(["/hooks/c0ffee2"]);
});

test("a hook inside the network is refused, when it is set and when it is used", async () => {
  const reader = await makeMember(harness.now, talk.project, "member");
  for (
    const chat_url of [
      "http://10.0.0.5/x",
      "http://localhost/x",
      "http://[::1]/x",
      "http://169.254.169.254/x",
      "ftp://x.test/",
    ]
  ) {
    const { status, body } = await set({ chat_url }, reader);
    expect([chat_url, status, Object.keys(body.fieldErrors)]).toEqual([chat_url, 400, ["chat_url"]]);
  }
  await set({ chat_url: hook }, reader);
  await talk.ask(await talk.newTicket(), { addressee: { user_id: reader.id } });
  const sealed = seal(harness.now.services, "chatUrl", reader.id, "http://10.0.0.5/x");
  await harness.now
    .sql`update notification_settings set chat_url = ${sealed} where user_id = ${reader.id}::uuid`;
  await deliver();
  const [message] = await harness.now
    .sql`select state, error from messages where user_id = ${reader.id}::uuid`;
  expect(message).toEqual({ state: "refused", error: expect.stringContaining("10.0.0.5") });
});
