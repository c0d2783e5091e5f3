import { createTRPCClient, httpSubscriptionLink } from "@trpc/client";
import { EventSource } from "eventsource";
import superjson from "superjson";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createHandoffClient } from "../../src/client.ts";
import type { Event } from "../../src/core/events.ts";
import { MOST_STREAMS, openStream } from "../../src/events/open_streams.ts";
import { STALL_MS } from "../../src/http/paced.ts";
import type { AppRouter } from "../../src/routers/root.ts";
import { makeKey, makeMember, makeProject, makeTicket } from "../factories.ts";
import { eventsOf, type EventStream, openEventStream } from "../event_stream.ts";
import { openBrowser } from "../open_browser.ts";
import { until } from "../until.ts";
import { useEvents } from "./_world.ts";

const { call, harness, project, settled, useServer } = useEvents();

const server = useServer();
const streams: EventStream[] = [];
afterAll(() => streams.forEach((stream) => stream.close()));

async function open(query: string, headers: Record<string, string>) {
  const stream = await openEventStream(`${server.url}/api/events/stream?${query}`, headers);
  streams.push(stream);
  return stream;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const types = (text: string) => eventsOf(text).map(({ type }) => type);

async function change(path: string, priority: string): Promise<void> {
  expect((await call("PATCH", path, { priority })).status).toBe(200);
}

describe("the stream of events", () => {
  test("tells each event with its number as it comes", async () => {
    const stream = await open("types=ticket.*", bearer(project.admin.token));
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
    expect(stream.response.headers.get("x-accel-buffering")).toBe("no");
    const { id, path } = await makeTicket(harness.now, project, { roles: ["qa"] });
    await change(path, "high");
    await until(() => types(stream.text).length === 2);
    expect(types(stream.text)).toEqual(["ticket.created", "ticket.changed"]);
    const [, seq, data] = /id: (\d+)\ndata: (.*)\n\n/.exec(stream.text)!;
    const event: Event = JSON.parse(data!);
    expect([event.seq, event.ticket!.id]).toEqual([Number(seq), id]);
    expect((await call("GET", `/events?after=${event.seq - 1}&limit=1`)).body.events).toEqual([event]);
  });

  test.each(["cookie", "token", "key"])("takes a %s", async (credential) => {
    const { token } = project.admin;
    const headers = credential === "cookie"
      ? { cookie: `session=${token}` }
      : bearer(credential === "key" ? (await makeKey(harness.now, project.admin)).token : token);
    const stream = await open("", headers);
    await makeTicket(harness.now, project);
    await until(() => types(stream.text).includes("ticket.created"));
  });

  test("refuses strangers, and what it doesn't know", async () => {
    const status = async (query: string, headers: Record<string, string>) =>
      (await open(query, headers)).response.status;
    expect(await status("", {})).toBe(401);
    expect(
      await status("", bearer((await makeKey(harness.now, project.admin, { scopes: ["tasks:read"] })).token)),
    )
      .toBe(403);
    expect(await status("types=never.*", bearer(project.admin.token))).toBe(400);
    expect(await status("", { ...bearer(project.admin.token), "last-event-id": "first" })).toBe(400);
    expect((await harness.now.request("HEAD", "/api/events/stream", { token: project.admin.token })).status)
      .toBe(200);
  });

  test("resumes after the last number, and tells where it can't", async () => {
    const after = await settled();
    await makeTicket(harness.now, project);
    const last = await settled();
    const resumed = await open("after=1", { ...bearer(project.admin.token), "last-event-id": String(after) });
    await until(() => types(resumed.text).includes("ticket.created"));
    expect(resumed.text).not.toContain("resync");
    const lost = await open("", { ...bearer(project.admin.token), "last-event-id": String(last + 5) });
    await until(() => lost.text.includes(`event: resync\ndata: {}\nid: ${last}\n\n`));
  });

  test("falls silent about a project for a member who is removed from it", async () => {
    const removed = await makeMember(harness.now, project, "viewer");
    const other = await makeProject(harness.now, { admin: project.admin });
    await call("PUT", `${other.path}/members/${removed.id}`, { role: "viewer" });
    const after = await settled();
    const stream = await open(`types=ticket.*&after=${after}`, bearer(removed.token));
    const { path } = await makeTicket(harness.now, project);
    await until(() => types(stream.text).length === 1);
    expect((await call("DELETE", `${project.path}/members/${removed.id}`)).status).toBe(204);
    await change(path, "high");
    // Events come in order, so this event comes after the events that are left out.
    await makeTicket(harness.now, other);
    await until(() => types(stream.text).length > 1);
    expect(types(stream.text)).toEqual(["ticket.created", "ticket.created"]);
  });

  test("ends with the session", async () => {
    const signedOut = await makeMember(harness.now, project, "viewer");
    const stream = await open("", bearer(signedOut.token));
    expect((await harness.now.call("POST", "/auth/logout", { token: signedOut.token })).status).toBe(204);
    // A caller's access counts for a second. The next event after that checks it again.
    const { path } = await makeTicket(harness.now, project);
    await until(async () => {
      await change(path, "high");
      await change(path, "low");
      return stream.ended;
    });
  });

  test("ends with its client and with the service", async () => {
    const { feed } = harness.now.services;
    const before = feed.size;
    const stream = await open("", bearer(project.admin.token));
    await until(() => feed.size === before + 1);
    stream.close();
    await until(() => feed.size === before);
  });
});

test("a stream sends old events in small parts, because an unread part stays in memory", async () => {
  const { path } = await makeTicket(harness.now, project);
  const began = await settled();
  for (let time = 0; time < 120; time++) await change(path, time % 2 ? "high" : "low");
  const ended = await settled();
  const { token } = project.admin;
  const { body } = await harness.now.request("GET", `/api/events/stream?after=${began}`, { token });
  const counts: number[] = [];
  const decoder = new TextDecoder();
  for await (const part of body!) {
    const events = eventsOf(decoder.decode(part)) as { seq: number }[];
    counts.push(events.length);
    if (events.at(-1)?.seq === ended) break;
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(50);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ended - began);
});

describe("streams of one user", () => {
  const asked = (token: string) => harness.now.request("GET", "/api/events/stream", { token });

  test("are a thousand at most, and a colleague's still open", async () => {
    const user = await makeMember(harness.now, project, "viewer");
    // The stream itself does nothing before somebody reads it.
    const open = Array.from(
      { length: MOST_STREAMS - 1 },
      () => openStream(user.id, (async function* () {})()),
    );
    const last = await asked(user.token);
    expect(last.status).toBe(200);
    const refused = await harness.now.call("GET", "/events/stream", { token: user.token });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("retry-after")).toBe("60");
    await (await asked(project.admin.token)).body!.cancel();
    await last.body!.cancel();
    const next = await until(async () => {
      const answer = await asked(user.token);
      return answer.status === 200 && answer;
    });
    await next.body!.cancel();
    for (const stream of open) await stream.return(undefined);
  });

  test("are let go where nobody reads them for a minute, and the others go on", async () => {
    const other = await open("types=ticket.created", bearer(project.admin.token));
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    try {
      const unread = await asked(project.admin.token);
      await vi.advanceTimersByTimeAsync(STALL_MS + 1_000);
      await expect(unread.text()).rejects.toThrow("stopped reading");
    } finally {
      vi.useRealTimers();
    }
    await makeTicket(harness.now, project);
    await until(() => types(other.text).includes("ticket.created"));
  });
});

describe("read by others' clients", () => {
  test("the package eventsource follows it, and resumes by itself", async () => {
    const source = new EventSource(`${server.url}/api/events/stream?types=ticket.created`, {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, ...bearer(project.admin.token) } }),
    });
    const heard: Event[] = [];
    source.addEventListener("message", ({ data }) => heard.push(JSON.parse(data)));
    await new Promise((resolve) => source.addEventListener("open", resolve));
    await makeTicket(harness.now, project, { title: "Heard by a package" });
    await until(() => heard.some(({ ticket }) => ticket?.title === "Heard by a package"));
    source.close();
  });

  test("tRPC's subscription gives the same events, each with its id", async () => {
    const client = createTRPCClient<AppRouter>({
      links: [
        httpSubscriptionLink({
          url: `${server.url}/trpc`,
          transformer: superjson,
          EventSource,
          eventSourceOptions: {
            fetch: (url: string | URL, init: RequestInit) =>
              fetch(url, { ...init, headers: { ...init.headers as object, ...bearer(project.admin.token) } }),
          },
        }),
      ],
    });
    const heard: { id: string; type: string; seq: number }[] = [];
    let started = false;
    const subscription = client.events.stream.subscribe({ types: ["ticket.created"] }, {
      onStarted: () => started = true,
      onData: ({ id, data }) => heard.push({ id, ...data }),
    });
    await until(() => started);
    await until(async () => (await makeTicket(harness.now, project), heard.length > 0));
    expect(heard[0]).toMatchObject({ id: String(heard[0]!.seq), type: "ticket.created" });
    subscription.unsubscribe();
  });

  test("Chromium's EventSource follows it by cookie, and goes on after the connection is lost", async () => {
    const browser = await openBrowser();
    try {
      const context = await browser.newContext({ baseURL: server.url });
      await context.addCookies([{ name: "session", value: project.admin.token, url: server.url }]);
      const page = await context.newPage();
      await page.goto("/healthz");
      await page.evaluate(`
        globalThis.heard = [];
        globalThis.opened = 0;
        const source = new EventSource("/api/events/stream?types=ticket.created");
        source.onopen = () => globalThis.opened++;
        source.onmessage = ({ lastEventId, data }) => heard.push([lastEventId, JSON.parse(data).ticket.title]);`);
      const titles = () => page.evaluate<string[]>("heard.map(([, title]) => title)");
      await until(async () => await page.evaluate("globalThis.opened === 1"));
      await makeTicket(harness.now, project, { title: "Heard by a browser" });
      await until(async () => (await titles()).length === 1);
      await context.setOffline(true);
      await makeTicket(harness.now, project, { title: "Made while it was away" });
      await context.setOffline(false);
      await makeTicket(harness.now, project, { title: "Made when it was back" });
      await until(async () => (await titles()).length === 3);
      expect(await titles()).toEqual([
        "Heard by a browser",
        "Made while it was away",
        "Made when it was back",
      ]);
    } finally {
      await browser.close();
    }
  });
});

describe("the client's events()", () => {
  let failing = 0;
  beforeAll(() => void (failing = 0));

  test("go on by themselves after failures, without a gap", async () => {
    const stop = new AbortController();
    const client = createHandoffClient({
      baseUrl: server.url,
      credentials: { apiKey: (await makeKey(harness.now, project.admin)).token },
      fetch: async (input, init) => {
        if (failing-- > 0) throw new TypeError("network is down");
        return await fetch(input, init);
      },
    });
    const after = await settled();
    const heard: (Event | { type: "resync"; seq: number })[] = [];
    const following = (async () => {
      for await (const event of client.events({ after, types: ["ticket.*"], signal: stop.signal })) {
        heard.push(event);
      }
    })();
    const { path } = await makeTicket(harness.now, project);
    await until(() => heard.length === 1);
    failing = 2;
    await change(path, "high");
    await change(path, "low");
    await until(() => heard.length === 3);
    stop.abort();
    await following;
    expect(heard.map(({ type }) => type)).toEqual(["ticket.created", "ticket.changed", "ticket.changed"]);
  });

  test("throw what the service refuses", async () => {
    const client = createHandoffClient({ baseUrl: server.url, credentials: { apiKey: "hk_wrong" } });
    await expect(client.events().next()).rejects.toMatchObject({ data: { httpStatus: 401 } });
  });
});
