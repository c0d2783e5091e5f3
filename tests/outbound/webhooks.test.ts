import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Webhook } from "standardwebhooks";
import { systemContext } from "../../src/core/context.ts";
import { enqueueDueDeliveries } from "../../src/outbound/enqueue_due.ts";
import { remoteSender } from "../../src/sending/sender.ts";
import { makeMember, makeProject, makeTicket, type TestProject, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness({ env: { WEBHOOK_ALLOWED_HOSTS: "localhost" } });
const shared = useProject(harness);

interface Got {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A receiver that keeps what it gets and answers by its path: /500 with 500, all else with 200. */
let server: Deno.HttpServer<Deno.NetAddr>;
const got: Got[] = [];
const answers = new Map<string, () => Response>();
beforeAll(() => {
  server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    got.push({ path: pathname, headers: Object.fromEntries(request.headers), body: await request.text() });
    return answers.get(pathname)?.() ?? new Response("thanks");
  });
});
afterAll(() => server.shutdown());

function call(method: string, path: string, body?: Record<string, unknown>, project: TestProject = shared) {
  return harness.now.call(method, `${project.path}${path}`, { token: project.admin.token, body });
}

let counter = 0;
/** An endpoint with its own path, so that the test can tell its deliveries from others. */
async function makeEndpoint(fields: Record<string, unknown> = {}, project = shared) {
  const path = `/hook${++counter}`;
  const { status, body } = await call("POST", "/webhooks", {
    url: `http://localhost:${server.addr.port}${path}`,
    types: ["ticket.*"],
    ...fields,
  }, project);
  expect(status).toBe(201);
  const received = () => got.filter((one) => one.path === path);
  return {
    id: body.id as string,
    path,
    secret: body.secret as string,
    received,
    api: `/webhooks/${body.id}`,
  };
}

/** Does the work of the dispatcher and the workers, here and now. */
async function deliver(): Promise<void> {
  await harness.now.follow();
  await enqueueDueDeliveries(
    systemContext(harness.now.services, { kind: "job", id: "send-webhooks" }, "test"),
  );
  while (await harness.now.work("send-webhooks") > 0);
}

/** Makes the next try of an endpoint due, as if its time had come. */
async function skipPause(id: string): Promise<void> {
  await harness.now
    .sql`update outbound_deliveries set next_attempt_at = now() where endpoint_id = ${id}::uuid`;
  await harness.now.sql`update outbound_endpoints set paused_until = null where id = ${id}::uuid`;
}

async function deliveriesOf(api: string) {
  return (await call("GET", `${api}/deliveries`)).body.deliveries;
}

describe("a webhook", () => {
  test("gets each event once, signed as the package standardwebhooks verifies it", async () => {
    const hook = await makeEndpoint();
    const { id, path } = await makeTicket(harness.now, shared, { roles: ["qa"] });
    await harness.now.call("PATCH", path, { token: shared.admin.token, body: { priority: "high" } });
    await deliver();
    await deliver();
    const events = hook.received().map(({ body, headers }) =>
      new Webhook(hook.secret).verify(body, headers)
    ) as {
      type: string;
      ticket: { id: string };
    }[];
    expect(events.map(({ type }) => type).sort()).toEqual(["ticket.changed", "ticket.created"]);
    expect(events.every(({ ticket }) => ticket.id === id)).toBe(true);
    expect(new Set(hook.received().map(({ headers }) => headers["webhook-id"])).size).toBe(2);
    expect(() =>
      new Webhook(`whsec_${btoa("x".repeat(32))}`).verify(
        hook.received()[0]!.body,
        hook.received()[0]!.headers,
      )
    )
      .toThrow();
    expect(await deliveriesOf(hook.api)).toEqual([
      expect.objectContaining({ status: "delivered", attempts: 1, answer_status: 200, answer: "thanks" }),
      expect.objectContaining({ status: "delivered", attempts: 1, next_attempt_at: null, error: null }),
    ]);
  });

  test("gets nothing of other projects, of other types, and of what was before it", async () => {
    const other = await makeProject(harness.now);
    await makeTicket(harness.now, shared);
    const hook = await makeEndpoint({ types: ["ticket.closed"] });
    const elsewhere = await makeEndpoint({ types: null }, other);
    const { path } = await makeTicket(harness.now, shared);
    await harness.now.call("PATCH", path, { token: shared.admin.token, body: { status: "closed" } });
    await deliver();
    expect(hook.received().map(({ body }) => JSON.parse(body).type)).toEqual(["ticket.closed"]);
    expect(elsewhere.received()).toEqual([]);
  });

  test("with full gets the changes too, and one for Slack a sentence", async () => {
    const full = await makeEndpoint({ full: true });
    const slack = await makeEndpoint({ format: "slack", types: ["ticket.changed"] });
    const { path } = await makeTicket(harness.now, shared, { title: "Upload <b> & | fails" });
    await harness.now.call("PATCH", path, { token: shared.admin.token, body: { priority: "high" } });
    await deliver();
    const change = full.received().map(({ body }) => JSON.parse(body)).find(({ type }) =>
      type === "ticket.changed"
    );
    expect(change.changes).toEqual({ priority: ["medium", "high"] });
    const { text, blocks } = JSON.parse(slack.received()[0]!.body);
    expect(text).toMatch(
      /^<http:\/\/handoff\.test\/\w+\/tickets\/(\w+-\d+)\|\1 Upload &lt;b&gt; &amp; ¦ fails>: changed \(priority\), by Test User$/,
    );
    expect(blocks).toEqual([{ type: "section", text: { type: "mrkdwn", text } }]);
  });

  test("for a project's chat tells what is asked, also who answered, and calls nobody by name", async () => {
    const chat = await makeEndpoint({ format: "slack", types: ["question.*"] });
    const ann = await makeMember(harness.now, shared, "member");
    const ticket = await makeTicket(harness.now, shared, { title: "Upload fails" });
    const ask = (prompt: string) =>
      harness.now.call("POST", `${ticket.path}/questions`, { token: ann.token, body: { prompt } });
    const { body: { id } } = await ask("Ship\n<!channel> it?");
    await deliver();
    await harness.now.call("POST", `${ticket.path}/questions/${id}/answer`, {
      token: shared.admin.token,
      body: { text: "Yes" },
    });
    await ask("\u{1F600}".repeat(1000));
    await deliver();
    const texts = chat.received().map(({ body }) => JSON.parse(body).text.split(" Upload fails>: ")[1]);
    expect(texts.toSorted()).toEqual([
      "question answered, by Test User: Ship &lt;!channel&gt; it?",
      "question created, by Test User: Ship &lt;!channel&gt; it?",
      `question created, by Test User: ${"\u{1F600}".repeat(299)}…`,
    ]);
  });

  test("for a project's chat is one message for a ticket that is created with its roles", async () => {
    const chat = await makeEndpoint({ format: "slack", types: null });
    await makeTicket(harness.now, shared, { roles: ["qa", "backend", "frontend"] });
    await deliver();
    expect(chat.received().map(({ body }) => JSON.parse(body).text)).toEqual([
      expect.stringMatching(/: created, by /),
    ]);
    await call("DELETE", chat.api);
  });

  test("for a project's chat tells what is commented, and rings for nobody", async () => {
    const chat = await makeEndpoint({ format: "slack", types: ["comment.created"] });
    const ann = await makeMember(harness.now, shared, "member");
    const ticket = await makeTicket(harness.now, shared, { title: "@everyone @here read this" });
    const body = `@[Ann](${ann.id}) look, [Click](https://evil.example) @channel`;
    await harness.now.call("POST", `${ticket.path}/comments`, { token: shared.admin.token, body: { body } });
    await deliver();
    const { text } = JSON.parse(chat.received()[0]!.body);
    expect(text).toContain(
      "|" + ticket.ref + " @\u200Deveryone @\u200Dhere read this>: comment created, by Test User",
    );
    expect(text).toContain(": @\u200DAnn look, [Click]\u200D(https://evil.example) @\u200Dchannel");
    await call("DELETE", chat.api);
  });

  test("that fails is tried ten times under one id, and then given up", async () => {
    const hook = await makeEndpoint({ types: ["ticket.created"] });
    answers.set(hook.path, () => new Response("broken", { status: 500 }));
    await makeTicket(harness.now, shared);
    await deliver();
    const pauses = [];
    for (let tries = 1; tries < 10; tries++) {
      const [{ attempts, status, next_attempt_at, answer }] = await deliveriesOf(hook.api);
      expect([attempts, status, answer]).toEqual([tries, "pending", "broken"]);
      pauses.push((Date.parse(next_attempt_at) - Date.now()) / 1000);
      await skipPause(hook.id);
      await deliver();
    }
    expect(await deliveriesOf(hook.api)).toMatchObject([{
      status: "failed",
      attempts: 10,
      next_attempt_at: null,
    }]);
    const planned = [5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400];
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThan(planned[index]! * 0.5 - 5);
      expect(pause).toBeLessThan(planned[index]! * 1.11);
    }
    expect(new Set(hook.received().map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect((await call("GET", hook.api)).body.failing_since).not.toBeNull();
    answers.delete(hook.path);
    const [{ id }] = await deliveriesOf(hook.api);
    expect((await call("POST", `${hook.api}/deliveries/${id}/redeliver`)).status).toBe(202);
    await deliver();
    expect(await deliveriesOf(hook.api)).toMatchObject([{ status: "delivered", attempts: 1 }]);
    expect((await call("GET", hook.api)).body.failing_since).toBeNull();
  });

  test("that says Retry-After is left alone for so long", async () => {
    const hook = await makeEndpoint({ types: ["ticket.created"] });
    answers.set(hook.path, () => new Response("", { status: 429, headers: { "retry-after": "3600" } }));
    await makeTicket(harness.now, shared);
    await deliver();
    const [{ next_attempt_at }] = await deliveriesOf(hook.api);
    expect(Date.parse(next_attempt_at) - Date.now()).toBeGreaterThan(3500_000);
    for (let n = 0; n < 3; n++) await makeTicket(harness.now, shared);
    await deliver();
    expect(hook.received()).toHaveLength(1);
    answers.delete(hook.path);
    await harness.now.sql`update outbound_endpoints set paused_until = now() where id = ${hook.id}::uuid`;
    await deliver();
    expect(hook.received()).toHaveLength(4);
  });

  test("that the service itself can't send has not been tried", async () => {
    const hook = await makeEndpoint({ types: ["ticket.created"] });
    const { services } = harness.now;
    const { sender } = services;
    services.sender = remoteSender("/nowhere/sender.sock");
    try {
      await makeTicket(harness.now, shared);
      await deliver();
      await skipPause(hook.id);
      await deliver();
      expect(await deliveriesOf(hook.api)).toMatchObject([{
        status: "pending",
        attempts: 0,
        error: expect.stringContaining("The sender process doesn't answer"),
      }]);
      expect((await call("GET", hook.api)).body.failing_since).toBeNull();
    } finally {
      services.sender = sender;
    }
    await skipPause(hook.id);
    await deliver();
    expect(await deliveriesOf(hook.api)).toMatchObject([{ status: "delivered", attempts: 1, error: null }]);
  });

  test("that redirects inside has failed, and is not followed", async () => {
    const hook = await makeEndpoint({ types: ["ticket.created"] });
    answers.set(
      hook.path,
      () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } }),
    );
    await makeTicket(harness.now, shared);
    await deliver();
    expect(await deliveriesOf(hook.api)).toMatchObject([{ status: "pending", answer_status: 307 }]);
  });

  test("that is gone, or has failed for five days, is switched off for all to hear", async () => {
    const gone = await makeEndpoint({ types: ["ticket.created"] });
    const dead = await makeEndpoint({ types: ["ticket.created"] });
    const listener = await makeEndpoint({ types: ["webhook.disabled"] });
    answers.set(gone.path, () => new Response(null, { status: 410 }));
    answers.set(dead.path, () => new Response(null, { status: 500 }));
    await makeTicket(harness.now, shared);
    await deliver();
    await harness.now.sql`
      update outbound_endpoints set failing_since = now() - interval '6 days' where id = ${dead.id}::uuid`;
    await skipPause(dead.id);
    await deliver();
    await deliver();
    for (const [{ api }, reason] of [[gone, "410 Gone"], [dead, "5 days"]] as const) {
      const { body } = await call("GET", api);
      expect(body).toMatchObject({ enabled: false, disabled_reason: expect.stringContaining(reason) });
    }
    expect(listener.received().map(({ body }) => JSON.parse(body).entity_id).sort()).toEqual(
      [gone.id, dead.id].sort(),
    );
    const { body } = await harness.now.call("GET", "/admin/audit?limit=200", { token: shared.admin.token });
    expect(body.audit.filter(({ action }: { action: string }) => action === "webhook.disabled"))
      .toHaveLength(2);
    answers.delete(gone.path);
    expect((await call("PATCH", gone.api, { enabled: true })).body).toMatchObject({
      enabled: true,
      disabled_reason: null,
    });
  });

  test("that doesn't answer costs the others nothing", async () => {
    const { body } = await call("POST", "/webhooks", {
      url: "http://localhost:1/",
      types: ["ticket.created"],
    });
    const hook = await makeEndpoint({ types: ["ticket.created"] });
    await Promise.all(Array.from({ length: 15 }, () => makeTicket(harness.now, shared)));
    await deliver();
    expect(hook.received()).toHaveLength(15);
    const tried = (await call("GET", `/webhooks/${body.id}/deliveries`)).body.deliveries
      .filter(({ attempts }: { attempts: number }) => attempts > 0);
    expect(tried.length).toBeLessThanOrEqual(10);
    expect(tried[0]).toMatchObject({ answer_status: null, error: expect.stringContaining("REFUSED") });
  });
});

describe("by hand", () => {
  test("a secret is rotated: for a day both sign", async () => {
    const hook = await makeEndpoint();
    const { body } = await call("POST", `${hook.api}/rotate-secret`);
    await call("POST", `${hook.api}/test`);
    await deliver();
    const [{ headers, body: sent }] = hook.received() as [Got];
    for (const secret of [hook.secret, body.secret]) {
      expect(new Webhook(secret).verify(sent, headers)).toMatchObject({ type: "webhook.test" });
    }
    await harness.now
      .sql`update outbound_endpoints set former_secret_until = now() where id = ${hook.id}::uuid`;
    await call("POST", `${hook.api}/test`);
    await deliver();
    const last = hook.received().at(-1)!;
    expect(() => new Webhook(hook.secret).verify(last.body, last.headers)).toThrow();
    expect((await call("GET", hook.api)).body).not.toHaveProperty("secret");
  });

  test("events are replayed since a number, each under the id that it had", async () => {
    const hook = await makeEndpoint({ types: ["ticket.created"] });
    const [{ last_seq }] = await harness.now.sql<[{ last_seq: number }]>`select last_seq from event_counter`;
    for (const title of ["First one", "Second one"]) await makeTicket(harness.now, shared, { title });
    await deliver();
    const { body } = await call("POST", `${hook.api}/replay`, { since_seq: last_seq });
    expect(body).toEqual({ queued: 2, next_since_seq: null });
    await deliver();
    const ids = hook.received().map(({ headers }) => headers["webhook-id"]);
    expect([ids.length, new Set(ids).size]).toEqual([4, 2]);
  });

  test("two processes that fan out at once make one delivery of each event", async () => {
    const hook = await makeEndpoint({ types: ["ticket.created"] });
    await makeTicket(harness.now, shared);
    await Promise.all([harness.now.follow(), harness.now.follow(), harness.now.follow()]);
    await deliver();
    expect(hook.received()).toHaveLength(1);
  });

  test.each([
    ["http://10.0.0.5/hook", "url"],
    ["http://2130706433/", "url"],
    ["https://example.com/\r\nX-Injected: 1", "url"],
    ["https://user:word@example.com/", "url"],
    ["ftp://example.com/", "url"],
    ["nothing", "url"],
  ])("%s is refused when it is named, and when it is put in the place of another", async (url, field) => {
    const hook = await makeEndpoint();
    for (const answer of [await call("POST", "/webhooks", { url }), await call("PATCH", hook.api, { url })]) {
      expect([answer.status, Object.keys(answer.body.fieldErrors ?? {})]).toEqual([400, [field]]);
    }
    expect((await call("DELETE", hook.api)).status).toBe(204);
  });

  test("its whole address is shown to the admin who entered it, and to nobody in the audit list", async () => {
    const other = await makeMember(harness.now, shared, "admin");
    const hook = await makeEndpoint();
    const read = () => harness.now.call("GET", `${shared.path}${hook.api}`, { token: other.token });
    const origin = `http://localhost:${server.addr.port}`;
    expect((await read()).body).toMatchObject({ url: `${origin}/…`, created_by: { id: shared.admin.id } });
    const description = "By another admin";
    const changed = await harness.now.call("PATCH", `${shared.path}${hook.api}`, {
      token: other.token,
      body: { url: `${origin}/…`, description },
    });
    expect(changed.body).toMatchObject({ url: `${origin}/…`, description });
    expect((await call("GET", hook.api)).body.url).toBe(`${origin}${hook.path}`);
    const [{ stored }] = await harness.now.sql<[{ stored: string }]>`
      select row_to_json(e)::text as stored from outbound_endpoints e where id = ${hook.id}::uuid`;
    expect(stored).not.toContain(hook.path);
    const { body } = await harness.now.call("GET", "/admin/audit?limit=200", { token: shared.admin.token });
    expect(JSON.stringify(body)).not.toContain(hook.path + '"');
    await call("DELETE", hook.api);
  });

  test("for a project's chat tells an act once, and each word that is said in it", async () => {
    const project = await makeProject(harness.now);
    const hook = await makeEndpoint({ format: "slack", types: undefined }, project);
    const { path } = await makeTicket(harness.now, project);
    const at = path.slice(project.path.length);
    const tasks = ["One", "Two", "Three"].map((title) => ({ title, role: "qa" }));
    expect((await call("POST", `${at}/tasks/batch`, { tasks }, project)).status).toBe(201);
    await call("POST", `${at}/questions`, { prompt: "Shall we?" }, project);
    await call("PATCH", at, { status: "closed", resolution_type: "wont_fix" }, project);
    await deliver();
    const told = hook.received().map(({ body }) => JSON.parse(body).text.replace(/^[^>]*>: /, ""));
    expect(told.toSorted()).toEqual([
      "3 tasks created, by Test User",
      "closed, by Test User",
      "created, by Test User",
      "question created, by Test User: Shall we?",
    ]);
    await call("DELETE", hook.api, undefined, project);
  });

  test("repeats of a delivery are bounded", async () => {
    const hook = await makeEndpoint();
    const { body } = await call("POST", `${hook.api}/test`);
    const statuses = new Set<number>();
    for (let n = 0; n < 62; n++) {
      statuses.add((await call("POST", `${hook.api}/deliveries/${body.id}/redeliver`)).status);
    }
    expect([...statuses]).toEqual([202, 429]);
    await call("DELETE", hook.api);
  });

  test("tests of it are bounded", async () => {
    const hook = await makeEndpoint();
    const answers = [];
    for (let n = 0; n < 12; n++) answers.push((await call("POST", `${hook.api}/test`)).status);
    expect(answers.filter((status) => status === 202)).toHaveLength(10);
    expect(answers.slice(-2)).toEqual([429, 429]);
    await call("DELETE", hook.api);
  });

  test("webhooks are for the project's admins, and each project has its own", async () => {
    const hook = await makeEndpoint();
    const member = await makeMember(harness.now, shared, "member");
    expect((await harness.now.call("GET", `${shared.path}/webhooks`, { token: member.token })).status).toBe(
      403,
    );
    const other = await makeProject(harness.now);
    expect((await call("GET", hook.api, undefined, other)).status).toBe(404);
    expect((await call("POST", `${hook.api}/test`, undefined, other)).status).toBe(404);
    expect((await call("DELETE", hook.api)).status).toBe(204);
    expect((await call("GET", hook.api)).status).toBe(404);
  });
});
