import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { checkAddresses, isPublic } from "../../src/sending/address.ts";
import { post } from "../../src/sending/post.ts";
import { remoteSender } from "../../src/sending/sender.ts";
import { until } from "../until.ts";

const answers: Record<string, () => Response> = {
  "/redirect": () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1/inside" } }),
  "/busy": () => new Response("later", { status: 503, headers: { "retry-after": "7" } }),
  "/endless": () =>
    new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65536).fill(97)) })),
};
let server: Deno.HttpServer<Deno.NetAddr>;

beforeAll(() => {
  server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    return answers[pathname]?.() ?? new Response(`${request.headers.get("host")} ${await request.text()}`);
  });
});
afterAll(() => server.shutdown());

const realTimeout = setTimeout;

/** A receiver that writes a beginning, and then one part for ever. */
function listenRaw({ beginning, part, pauseMs }: { beginning: string; part: string; pauseMs: number }) {
  const encoder = new TextEncoder();
  const raw = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const state = { parts: 0, ended: false };
  void (async () => {
    using connection = await raw.accept();
    raw.close();
    try {
      await connection.write(encoder.encode(beginning));
      for (;; state.parts++) {
        await connection.write(encoder.encode(part));
        await new Promise((resolve) => realTimeout(resolve, pauseMs));
      }
    } catch {
      state.ended = true;
    }
  })();
  return { url: `http://localhost:${raw.addr.port}/`, state };
}

function send(url: string, allowed: string[] = []) {
  return post({ url, headers: { "content-type": "text/plain" }, body: "héllo" }, allowed);
}

const inside = (path: string) => send(`http://localhost:${server.addr.port}${path}`, ["localhost"]);

describe("no way inside", () => {
  test.each([
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "127.1",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fd00::1]",
    "[fe80::1]",
    "[ff02::1]",
    "localhost",
    "db.internal",
    "printer.local",
  ])("to %s", async (host) => {
    expect(await send(`http://${host}:8080/`)).toMatchObject({ failure: "refused" });
  });

  test("by a name that leads to a private address when the connection is made", async () => {
    // Only the look-up shows the address, because this name means the machine itself everywhere.
    expect(await send(`http://${Deno.hostname()}:${server.addr.port}/`)).toMatchObject({
      failure: "refused",
    });
    expect(() => checkAddresses("two.example", ["93.184.216.34", "10.0.0.1"])).toThrow(
      "two.example is not an address",
    );
    expect(isPublic("93.184.216.34") && isPublic("2606:2800:220:1::1")).toBe(true);
    // These wrap an IPv4 address for a tunnel.
    for (const wrapped of ["2001:470::5efe:7f00:1", "2606:2800:220:1:200:5efe:a00:1"]) {
      expect(isPublic(wrapped)).toBe(false);
    }
  });

  test.each([
    ["ftp://example.com/", "only https and http"],
    ["file:///etc/passwd", "only https and http"],
    ["https://user:word@example.com/", "user name or password"],
    ["https://example.com:25/", "below 1024 only the ports"],
    ["https://example.com/#part", "fragment"],
    ["example.com", "not an address"],
  ])("as %s", async (url, message) => {
    expect(await send(url)).toEqual({ failure: "refused", message: expect.stringContaining(message) });
  });
});

describe("a receiver", () => {
  test("that is allowed by name gets the request under its name", async () => {
    expect(await inside("/")).toEqual({
      status: 200,
      text: `localhost:${server.addr.port} héllo`,
      retryAfter: null,
    });
  });

  test("that redirects is not followed", async () => {
    expect(await inside("/redirect")).toMatchObject({ status: 302 });
  });

  test("that is busy says for how long", async () => {
    expect(await inside("/busy")).toEqual({ status: 503, text: "later", retryAfter: 7 });
  });

  test("whose answer has no end is read to its first KiB", async () => {
    expect(await inside("/endless")).toEqual({ status: 200, text: "a".repeat(1024), retryAfter: null });
  });

  test("whose header fields have no end is left", async () => {
    const { url, state } = listenRaw({
      beginning: "HTTP/1.1 200 OK\r\n",
      part: `X-Field: ${"a".repeat(1000)}\r\n`,
      pauseMs: 0,
    });
    expect(await send(url, ["localhost"])).toMatchObject({ failure: "unreachable" });
    await until(() => state.ended);
  });

  test("whose header fields come by drops is left after 15 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { url, state } = listenRaw({ beginning: "HTTP/1.1 200 OK\r\nX-Field: ", part: "a", pauseMs: 5 });
      let outcome: unknown;
      const sending = send(url, ["localhost"]).then((sent) => outcome = sent);
      const drops = async (count: number) => {
        while (state.parts < count) await new Promise((resolve) => realTimeout(resolve, 5));
      };
      await drops(10);
      await vi.advanceTimersByTimeAsync(14_900);
      await drops(20);
      expect(outcome).toBeUndefined();
      await vi.advanceTimersByTimeAsync(200);
      expect(await sending).toEqual({ failure: "unreachable", message: "no answer within 15 s" });
      while (!state.ended) await new Promise((resolve) => realTimeout(resolve, 5));
    } finally {
      vi.useRealTimers();
    }
  });

  test("whose text comes by drops has answered with its status", async () => {
    const { url, state } = listenRaw({
      beginning: "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n",
      part: "a",
      pauseMs: 50,
    });
    expect(await send(url, ["localhost"])).toEqual({
      status: 200,
      text: expect.stringMatching(/^a{1,499}$/),
      retryAfter: null,
    });
    await until(() => state.ended);
  });

  test("that isn't there is unreachable, and so is one without a valid certificate", async () => {
    expect(await send("http://localhost:1/", ["localhost"])).toMatchObject({ failure: "unreachable" });
    expect(await send(`https://localhost:${server.addr.port}/`, ["localhost"])).toMatchObject({
      failure: "unreachable",
    });
  });
});

test("a sender that isn't there is told of, not thrown", async () => {
  const sender = remoteSender("/nowhere/sender.sock");
  expect(await sender.post({ url: "https://example.com/", headers: {}, body: "" })).toEqual({
    failure: "unsent",
    message: expect.stringContaining("The sender process doesn't answer"),
  });
});
