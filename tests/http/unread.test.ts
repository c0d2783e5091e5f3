import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { MAX_ANSWER_BYTES } from "../../src/core/answer_budget.ts";
import type { RequestContext } from "../../src/core/context.ts";
import { paced, STALL_MS } from "../../src/http/paced.ts";
import { bindingsOf } from "../../src/http/request.ts";
import { send } from "../../src/http/send.ts";
import { makeMember, makeTicket, type TestTicket, type TestUser, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { until } from "../until.ts";
import { expectError } from "./_calls.ts";

const harness = useHarness();
const project = useProject(harness);

/** The timers and the clock that shared_timeout.ts uses. */
const CLOCK = ["setInterval", "clearInterval", "performance"] as const;
const passMinute = () => vi.advanceTimersByTimeAsync(STALL_MS + 1_000);

describe("a body in parts", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: [...CLOCK] }));
  afterEach(() => void vi.useRealTimers());

  function opened() {
    const made: number[] = [];
    const drop = vi.fn();
    const onStall = vi.fn();
    const next = () => made.length === 5 ? null : new Uint8Array([made.push(made.length)]);
    return { made, drop, onStall, reader: paced({ next, drop, onStall }).getReader() };
  }

  test("is made as its client takes it, and ends", async () => {
    const { made, drop, onStall, reader } = opened();
    for (let part = 1; part <= 5; part++) {
      expect((await reader.read()).value).toEqual(new Uint8Array([part]));
      await vi.advanceTimersByTimeAsync(STALL_MS / 2);
      expect(made.length).toBeLessThanOrEqual(part + 1);
    }
    expect((await reader.read()).done).toBe(true);
    await passMinute();
    expect([drop.mock.calls.length, onStall.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0, 0]);
  });

  test("is given up when its client takes nothing for a minute", async () => {
    const { made, drop, onStall, reader } = opened();
    await reader.read();
    await passMinute();
    expect([drop.mock.calls.length, onStall.mock.calls.length, made.length]).toEqual([1, 1, 2]);
    await expect(reader.read()).rejects.toThrow("stopped reading");
  });

  test("is let go with its client", async () => {
    const { drop, onStall, reader } = opened();
    await reader.cancel();
    await passMinute();
    expect([drop.mock.calls.length, onStall.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0, 0]);
  });
});

describe("answers that nobody reads", () => {
  let ticket: TestTicket;
  let server: Deno.HttpServer<Deno.NetAddr>;
  let reader: TestUser;
  beforeAll(async () => {
    ticket = await makeTicket(harness.now, project);
    await harness.now.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      // A list of them has 12 MB as JSON.
      await sql`
        insert into tasks (id, ticket_id, project_id, sequence, number, title, body, role)
        select gen_random_uuid(), ${ticket.id}::uuid, ${project.id}::uuid, n, n, 'Look', repeat(U&'\\0001', 10000), 'qa'
        from generate_series(1, 200) n`;
      await sql`insert into task_numbers values (${ticket.id}::uuid, 200)`;
    });
    server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request, info) => harness.now.fetch(request, bindingsOf(info)),
    );
  });
  afterAll(() => server.shutdown());
  beforeEach(async () => {
    reader = await makeMember(harness.now, project, "member");
    vi.useFakeTimers({ toFake: [...CLOCK] });
  });
  const left: Deno.TcpConn[] = [];
  afterEach(() => {
    vi.useRealTimers();
    for (const connection of left.splice(0)) connection.close();
  });

  const tasks = () => `/api${ticket.path}/tasks`;
  const ask = (path = tasks(), method = "GET", body?: unknown) =>
    harness.now.request(method, path, { token: reader.token, ...(body !== undefined && { body }) });

  /** Reads the status of an answer and no more of it. */
  async function askAndLeave(): Promise<number> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
    left.push(connection);
    const head =
      `GET ${tasks()} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${reader.token}\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    const buffer = new Uint8Array(64);
    await connection.read(buffer);
    return Number(new TextDecoder().decode(buffer).split(" ", 2)[1]);
  }

  test("are refused to their caller beyond 64 MiB, and to nobody else, until they are read", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const more = await harness.now.call("GET", `${ticket.path}/tasks`, { token: reader.token });
    expectError(more, 429, "rate_limited");
    expect(more.headers.get("retry-after")).toBe("60");
    const batch = await ask(
      "/trpc/tasks.list?batch=1&input=" + encodeURIComponent(
        JSON.stringify({ 0: { json: { id: project.id, ticketId: ticket.id } } }),
      ),
    );
    expect(batch.status).toBe(429);
    const short = await ask(`/api${ticket.path}`);
    const colleague = await harness.now.request("GET", tasks(), { token: project.admin.token });
    const change = await ask(tasks(), "POST", { title: "Look again", role: "qa", body: "x".repeat(9_000) });
    expect([short.status, colleague.status, change.status]).toEqual([200, 200, 201]);
    await colleague.body!.cancel();
    expect(await answers[0]!.json()).toMatchObject({ tasks: expect.any(Array) });
    expect((await ask()).status).toBe(200);
    await passMinute();
    await expect(answers[1]!.arrayBuffer()).rejects.toThrow("stopped reading");
    const again = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await Promise.all(again.map(({ body }) => body!.cancel()));
  });

  test("hold no more connections of a caller than 16, and none once these are closed", async () => {
    let accepted = 0;
    for (let round = 0; round < 40; round++) {
      if (await askAndLeave() === 200) accepted++;
      await passMinute();
    }
    // 64 MiB may wait, not counting the answers that were given up.
    expect(accepted).toBeGreaterThanOrEqual(16);
    expect(accepted).toBeLessThanOrEqual(16 + 5);
    expect((await ask()).status).toBe(429);
    expect((await ask(`/api${ticket.path}`)).status).toBe(200);
    for (const connection of left.splice(0)) connection.close();
    const answer = await until(async () => {
      const answer = await ask();
      return answer.status === 200 && answer;
    });
    await answer.body!.cancel();
  });
});

test("an answer that is too long after all becomes a failure that says so", async () => {
  const ctx = { requestId: "x", actor: null, address: "192.0.2.1" } as unknown as RequestContext;
  const sent = (characters: number) =>
    send("€".repeat(characters), {
      ctx,
      asked: new Headers(),
      isChange: false,
      delivered: undefined,
      init: { status: 200, headers: new Headers() },
    });
  const most = Math.floor(MAX_ANSWER_BYTES / 3);
  const { body, headers } = await sent(most);
  expect(headers.get("content-length")).toBe(String(3 * most));
  await body!.cancel();
  await expect(sent(most + 1)).rejects.toMatchObject({ code: "answer_too_large" });
});
