import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeMember, makeTicket, type TestUser, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { TestMailServer } from "../smtp.ts";

const smtp = await TestMailServer.start();
const harness = useHarness({
  env: { SMTP_URL: smtp.url, MAIL_FROM: "tickets@handoff.test", WEBHOOK_ALLOWED_HOSTS: "localhost" },
});
const project = useProject(harness);

/** A server with a receiver that answers 410 to events, and with a chat hook. */
const told: string[] = [];
const receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
  if (!request.url.endsWith("/chat")) return new Response(null, { status: 410 });
  told.push((await request.json()).text);
  return new Response("ok");
});
const at = (path: string) => `http://localhost:${receiver.addr.port}${path}`;
afterAll(async () => {
  await receiver.shutdown();
  await smtp.stop();
});

let owner: TestUser;
let silent: TestUser;
let member: TestUser;
beforeAll(async () => {
  owner = await makeMember(harness.now, project, "admin");
  silent = await makeMember(harness.now, project, "admin");
  member = await makeMember(harness.now, project, "member");
  await call("PUT", "/settings/notifications", { mail: "all", chat_url: at("/chat") }, owner);
  await call("PUT", "/settings/notifications", { mail: "none" }, silent);
});
beforeEach(() => {
  told.length = 0;
  smtp.received.length = 0;
});

async function call(method: string, path: string, body?: Record<string, unknown>, { token } = project.admin) {
  const answer = await harness.now.call(method, path, { token, body });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

/** A webhook that was switched off, because its receiver answered 410. */
async function makeDead(): Promise<{ id: string; path: string }> {
  const body = { url: at("/gone"), types: ["ticket.created"], description: "Builds" };
  const { id } = await call("POST", `${project.path}/webhooks`, body);
  await makeTicket(harness.now, project);
  await harness.now.follow();
  await harness.now.work("send-webhooks");
  return { id, path: `${project.path}/webhooks/${id}` };
}

const waiting = async (who: TestUser) => (await call("GET", "/waiting?kind=webhook", undefined, who)).waiting;

test("a webhook that was switched off is told to the project's admins, as each has chosen", async () => {
  const { path } = await makeDead();
  await harness.now.run("deliver-notifications");
  await harness.now.run("deliver-notifications");
  const [mail, ...more] = smtp.received;
  expect([mail!.to, more]).toEqual([owner.email, []]);
  expect(mail!.subject).toMatch(/^The webhook to localhost:\d+ in Project \w+ was switched off$/);
  expect(mail!.text).toContain("(Builds): The receiver answered 410 Gone");
  expect(mail!.text).toContain(`PATCH http://handoff.test/api${path}`);
  expect(mail!.text).toContain("/api/unsubscribe?token=");
  expect(told).toEqual([
    expect.stringContaining("was switched off (Builds): The receiver answered 410 Gone"),
  ]);
  await call("DELETE", path);
});

test("it waits for the admins until one of them decides", async () => {
  const { id, path } = await makeDead();
  for (const admin of [owner, silent]) {
    expect(await waiting(admin)).toMatchObject([{
      kind: "webhook",
      id,
      title: `localhost:${receiver.addr.port}: The receiver answered 410 Gone`,
      ticket: null,
      project: { id: project.id },
    }]);
  }
  expect(await waiting(member)).toEqual([]);
  expect(await call("PATCH", path, { url: at("/other") })).toMatchObject({
    enabled: false,
    disabled_reason: "The receiver answered 410 Gone",
  });
  expect(await call("PATCH", path, { enabled: false })).toMatchObject({
    enabled: false,
    disabled_reason: null,
  });
  expect(await waiting(owner)).toEqual([]);
  await call("DELETE", path);
});

test("nobody is told late of one that is on again", async () => {
  const { path } = await makeDead();
  await call("PATCH", path, { enabled: true });
  await harness.now.run("deliver-notifications");
  expect([smtp.received, told, await waiting(owner)]).toEqual([[], [], []]);
  expect(await harness.now.sql`select distinct state from messages where kind = 'webhook' order by state`)
    .toEqual([{ state: "obsolete" }, { state: "sent" }]);
  await call("DELETE", path);
});
