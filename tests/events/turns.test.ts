import { beforeAll, describe, expect, test } from "vitest";
import type { RequestContext } from "../../src/core/context.ts";
import { EVENT_TYPES } from "../../src/core/event_types.ts";
import type { Event } from "../../src/core/events.ts";
import { readInTurn } from "../../src/core/read_in_turn.ts";
import { makeKey, makeMember, makeTicket, type TestUser } from "../factories.ts";
import { eventsOf } from "../event_stream.ts";
import { until } from "../until.ts";
import { useEvents } from "./_world.ts";

const { call, harness, project, settled } = useEvents();

/** The most streams of a user that catch up at the same time. */
const MOST_LAGGING = 20;

let path: string;
// The parts of a stream have at most 50 events, and one part is made ahead of the reader.
beforeAll(async () => {
  path = (await makeTicket(harness.now, project, { roles: ["qa"] })).path;
  for (let time = 0; time < 170; time++) await change(time % 2 ? "high" : "low");
  await settled();
});

async function change(priority: string): Promise<void> {
  expect((await call("PATCH", path, { priority })).status).toBe(200);
}

/** Keeps all of a user's turns until the returned function is called. */
function keepTurns({ id }: TestUser): () => Promise<void> {
  const end = Promise.withResolvers<void>();
  const context = { actor: { user: { id } } } as RequestContext;
  const kept = Array.from({ length: 4 }, () => readInTurn(context, () => end.promise));
  return async () => {
    end.resolve();
    await Promise.all(kept);
  };
}

/** A stream whose parts are read one by one, as by a client that reads slowly. */
class SlowStream {
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #client: AbortController;

  private constructor(body: ReadableStream<Uint8Array<ArrayBuffer>>, client: AbortController) {
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
    this.#client = client;
  }

  static async open({ token }: { token: string }, query = "after=0"): Promise<SlowStream> {
    const client = new AbortController();
    const { signal } = client;
    const { status, body } = await harness.now.request("GET", `/api/events/stream?${query}`, {
      token,
      signal,
    });
    expect(status).toBe(200);
    return new SlowStream(body!, client);
  }

  /** Returns the events of the next part that has any; null at the end. */
  async next(): Promise<Event[] | null> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return null;
      const events = eventsOf(value);
      if (events.length > 0) return events;
    }
  }

  async close(): Promise<void> {
    this.#client.abort();
    // The stream may have failed by that.
    await this.#reader.cancel().catch(() => {});
  }
}

describe("events that are read from the database", () => {
  test.each([
    ["a page", "/api/events?after=0&limit=1"],
    ["a page of a rare type", "/api/events?after=0&types=webhook.disabled"],
    ["a page that may wait", "/api/events?after=0&limit=1&wait=20"],
    ["lists beside a call that waits", "/trpc/events.list,tickets.list?batch=1"],
  ])("%s waits for the user's turn, and a colleague's doesn't", async (_, address) => {
    const user = await makeMember(harness.now, project, "viewer");
    const colleague = await makeMember(harness.now, project, "viewer");
    const ask = ({ token }: TestUser) =>
      address.startsWith("/trpc")
        ? harness.now.request("POST", address, {
          token,
          body: { 0: { json: {} }, 1: { json: { id: project.id } } },
        })
        : harness.now.request("GET", address, { token });
    const release = keepTurns(user);
    let isAnswered = false;
    const asked = ask(user);
    asked.then(() => isAnswered = true);
    expect((await ask(colleague)).status).toBe(200);
    expect(isAnswered).toBe(false);
    await release();
    expect((await asked).status).toBe(200);
  });

  test("a list in a batch with a call that waits takes a turn of its own", async () => {
    const user = await makeMember(harness.now, project, "viewer");
    const release = keepTurns(user);
    let isAnswered = false;
    // At the end of the events, the call that waits reads nothing.
    const asked = harness.now.request("POST", "/trpc/auth.me,questions.get,tickets.list?batch=1", {
      token: user.token,
      body: {
        0: { json: {} },
        1: { json: { id: project.id, ticketId: crypto.randomUUID(), questionId: crypto.randomUUID() } },
        2: { json: { id: project.id } },
      },
    });
    asked.then(() => isAnswered = true);
    expect((await call("GET", "/events?after=0&limit=1")).status).toBe(200);
    expect(isAnswered).toBe(false);
    await release();
    expect((await asked).status).toBe(207);
  });

  test("a stream that lags behind waits for each part, and one at the end doesn't", async () => {
    const user = await makeMember(harness.now, project, "viewer");
    const release = keepTurns(user);
    const atTheEnd = await SlowStream.open(user, "types=ticket.changed");
    const lagging = await SlowStream.open(user);
    let hasCome = false;
    const part = lagging.next();
    part.then(() => hasCome = true);
    await until(() => harness.now.services.feed.size >= 2);
    const news = atTheEnd.next();
    await change("medium");
    expect((await news)!.length).toBeGreaterThan(0);
    expect(hasCome).toBe(false);
    await release();
    expect((await part)!.length).toBe(50);
    await Promise.all([atTheEnd.close(), lagging.close()]);
  });

  test("twenty streams of a user catch up at once; the next one begins when one of them leaves", async () => {
    const user = await makeMember(harness.now, project, "viewer");
    const others = [];
    for (let n = 0; n < MOST_LAGGING; n++) others.push(await SlowStream.open(user));
    for (const stream of others) expect((await stream.next())!.length).toBe(50);
    const late = await SlowStream.open(user);
    let hasCome = false;
    const part = late.next();
    part.then(() => hasCome = true);
    const colleague = await SlowStream.open(await makeMember(harness.now, project, "viewer"));
    expect((await colleague.next())!.length).toBe(50);
    expect(hasCome).toBe(false);
    await others.pop()!.close();
    expect((await part)!.length).toBe(50);
    for (const stream of [...others, late, colleague]) await stream.close();
  });

  test("of each type are those that a page of all types has", async () => {
    await call("POST", `${path}/tasks`, { title: "Look", role: "qa" });
    const agent = await makeKey(harness.now, project.admin);
    const { body: asked } = await harness.now.call("POST", `${path}/questions`, {
      token: agent.token,
      body: { kind: "question", prompt: "Shall we?" },
    });
    await call("POST", `${path}/questions/${asked.id}/answer`, { text: "Yes" });
    await call("POST", `${path}/comments`, { body: "Well" });
    await call("PATCH", path, { status: "closed", skip_pending_roles: true });
    await call("PATCH", path, { stage: "backlog" });
    await settled();
    const read = async (query: string, token = project.admin.token): Promise<Event[]> =>
      (await harness.now.call("GET", `/events?after=0&limit=500${query}`, { token })).body.events;
    const all = await read("");
    expect(new Set(all.map(({ type }) => type))).toContain("question.answered");
    for (const type of EVENT_TYPES.keys()) {
      expect(await read(`&types=${type}`)).toEqual(all.filter((event) => event.type === type));
    }
    for (const entity of ["ticket", "question", "webhook"]) {
      expect(await read(`&types=${entity}.*`)).toEqual(all.filter((event) => event.entity === entity));
    }
    const key = await makeKey(harness.now, project.admin, { scopes: ["tickets:read"] });
    expect(await read("", key.token)).toEqual(all.filter(({ entity }) => entity !== "task"));
  });
});

describe("a member who is removed from the project", () => {
  /** Removes the member and makes an event that only members may read. */
  async function remove({ id }: TestUser): Promise<string> {
    expect((await call("DELETE", `${project.path}/members/${id}`)).status).toBe(204);
    const { body } = await call("POST", `${project.path}/tickets`, {
      title: "Nothing for those who left",
      description: "They may not read this.",
      request_type: "bug",
      priority: "low",
      blocking: false,
    });
    await settled();
    return body.ticket.id;
  }

  test.each([["with", true], ["without", false]])(
    "gets nothing new from a slow stream %s a filter by project",
    async (_, isFiltered) => {
      const removed = await makeMember(harness.now, project, "viewer");
      const stream = await SlowStream.open(
        removed,
        `after=0${isFiltered ? `&project_id=${project.id}` : ""}`,
      );
      expect((await stream.next())!.length).toBe(50);
      const secret = await remove(removed);
      const heard: Event[] = [];
      if (isFiltered) {
        for (let part = await stream.next(); part; part = await stream.next()) heard.push(...part);
      } else {
        // One part was made ahead of the reader. Nothing comes after it.
        heard.push(...await stream.next() ?? []);
        const member = await makeMember(harness.now, project, "viewer");
        const other = await SlowStream.open(member);
        await other.next();
        await Promise.all([other.close(), stream.close()]);
      }
      expect(heard.length).toBeLessThanOrEqual(100);
      expect(heard.some(({ ticket }) => ticket?.id === secret)).toBe(false);
    },
  );

  test("is refused at the end of a stream over tRPC", async () => {
    const removed = await makeMember(harness.now, project, "viewer");
    const input = encodeURIComponent(JSON.stringify({ json: { project_id: project.id } }));
    const { body } = await harness.now.request("GET", `/trpc/events.stream?input=${input}`, {
      token: removed.token,
    });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        text += value;
        if (/serialized-error\ndata: .*\n/.test(text)) return await reader.cancel();
      }
    })();
    await until(() => text.includes("connected"));
    const secret = await remove(removed);
    await reading;
    expect(text).toContain("serialized-error");
    expect(text).toContain("forbidden");
    expect(text).not.toContain(secret);
  });

  test("is refused while waiting for an event", async () => {
    const removed = await makeMember(harness.now, project, "viewer");
    const before = harness.now.services.feed.size;
    const waiting = harness.now.call("GET", `/events?project_id=${project.id}&wait=50`, {
      token: removed.token,
    });
    await until(() => harness.now.services.feed.size > before);
    await remove(removed);
    expect([(await waiting).status, (await waiting).body.code]).toEqual([403, "forbidden"]);
  });
});
