import { expect, test } from "vitest";
import { useService } from "../use_service.ts";

// A request whose end two readers see in two places hides a second one from the first reader. The
// service refuses it, so that nothing behind it is taken for a request.
const service = useService();

/** The request that is hidden. Its answer has a text that no other has. */
const HIDDEN = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
const TOLD = "# TYPE handoff_";
/** An honest request, after which the server closes the connection. */
const LAST = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

const POST = "POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const END = "0\r\n\r\n";
const LENGTH = HIDDEN.length;
const CHUNK = `${LENGTH.toString(16)}\r\n${HIDDEN}\r\n`;

/** Sends the bytes and LAST after them, and reads until the server closes. */
async function exchange(text: string): Promise<{ statuses: number[]; all: string }> {
  const { hostname, port } = new URL(service.now.url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  // Each character is one byte. The server may close before it has read them all.
  const bytes = Uint8Array.from(text + LAST, (character) => character.charCodeAt(0));
  const sending = sendAll(connection, bytes).catch(() => {});
  const all = await readAll(connection);
  await sending;
  return { statuses: [...all.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status)), all };
}

async function sendAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

async function readAll(connection: Deno.TcpConn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  try {
    for (;;) {
      const read = await connection.read(buffer);
      if (read === null) return text;
      text += decoder.decode(buffer.subarray(0, read), { stream: true });
    }
  } catch (error) {
    // A reset is an end, too.
    if (error instanceof Deno.errors.ConnectionReset) return text;
    throw error;
  }
}

const REFUSED: Record<string, string> = {
  "a length beside chunks, as long as the rest": `Content-Length: ${
    END.length + LENGTH
  }\r\n${CHUNKED}\r\n${END}`,
  "a length beside chunks, which is short": `${CHUNKED}Content-Length: 4\r\n\r\n${CHUNK}${END}`,
  "a length beside chunks, which is as long as they": `${CHUNKED}Content-Length: ${END.length}\r\n\r\n${END}`,
  "two lengths": `Content-Length: 0\r\nContent-Length: ${LENGTH}\r\n\r\n`,
  "two lengths, the longer one first": `Content-Length: ${LENGTH}\r\nContent-Length: 0\r\n\r\n`,
  "a list of lengths": `Content-Length: 0, ${LENGTH}\r\n\r\n`,
  "a length with a sign": "Content-Length: +0\r\n\r\n",
  "a length below zero": "Content-Length: -1\r\n\r\n",
  "a hexadecimal length": "Content-Length: 0x0\r\n\r\n",
  "an empty length": "Content-Length: \r\n\r\n",
  "a length beyond 64 bits": "Content-Length: 99999999999999999999\r\n\r\n",
  "a blank before a length's colon": `Content-Length : ${LENGTH}\r\n\r\n`,
  "a blank before an encoding's colon": `Transfer-Encoding : chunked\r\n\r\n${END}`,
  "an unknown encoding": `Transfer-Encoding: xchunked\r\n\r\n${END}`,
  "an encoding after chunks": `Transfer-Encoding: chunked, identity\r\n\r\n${END}`,
  "an encoding that is none": `Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n`,
  "a control character before an encoding": `Transfer-Encoding: \x0bchunked\r\n\r\n${END}`,
  "two encodings": `${CHUNKED}Transfer-Encoding: identity\r\n\r\n${END}`,
  "a chunk below zero": `${CHUNKED}\r\n-1\r\n\r\n`,
  "a chunk's size with 0x": `${CHUNKED}\r\n0x0\r\n\r\n`,
  "a chunk's size of 72 bits": `${CHUNKED}\r\nffffffffffffffffff\r\n`,
  "a chunk's size of 65 bits": `${CHUNKED}\r\n10000000000000000\r\n`,
  "a chunk without a size": `${CHUNKED}\r\n\r\n`,
  "a chunk that is longer than its size": `${CHUNKED}\r\n1\r\nxyz${END}`,
  "chunks with line feeds alone": `${CHUNKED}\r\n1\nx\n0\n\n`,
  "a line feed in a chunk's extension": `${CHUNKED}\r\n1;a\nb\r\nx\r\n${END}`,
  "a folded field": "X-A: b\r\n Content-Length: 0\r\n\r\n",
  "a folded length": "Content-Length:\r\n 0\r\n\r\n",
  "a folded encoding": `Transfer-Encoding:\r\n chunked\r\n\r\n${END}`,
  "NUL in a field": "X-A: a\0b\r\n\r\n",
  "a carriage return in a field": `X-A: a\rContent-Length: ${LENGTH}\r\n\r\n`,
  "a field without a colon": "Content-Length\r\n\r\n",
};

/** They are no HTTP/1.1 from their first line on. */
const STRANGE: Record<string, string> = {
  "a blank before the first field": "GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n",
  "chunks in HTTP/1.0": `POST /api/auth/login HTTP/1.0\r\nHost: localhost\r\n${CHUNKED}\r\n${END}`,
  "another version": "GET /healthz HTTP/1.2\r\nHost: localhost\r\n\r\n",
  "no version": "GET /metrics\r\n",
  "the version of another protocol": "GET /healthz HTTP/3.0\r\nHost: localhost\r\n\r\n",
  "a blank in the target": "GET /healthz /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "two Hosts": "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
  "a field of 200 kB": `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(200_000)}\r\n\r\n`,
};

test.each([
  ...Object.entries(REFUSED).map(([name, rest]) => [name, POST + rest] as const),
  ...Object.entries(STRANGE),
])("%s ends the connection, and nothing behind it is a request", async (_, text) => {
  const { statuses, all } = await exchange(text + HIDDEN);
  // Where the head is in order, the connection may end without an answer.
  expect([[], [400]]).toContainEqual(statuses);
  expect(all).not.toContain(TOLD);
});

test.each([
  ["line feeds alone", "GET /healthz HTTP/1.1\nHost: localhost\n\n"],
  ["empty lines before it", "\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["no Host", "GET /healthz HTTP/1.1\r\n\r\n"],
  ["a whole address as its target", "GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n"],
  [
    "another host's address as its target",
    "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
  ],
  [
    "a request as the body of a GET",
    `GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${LENGTH}\r\n\r\n${HIDDEN}`,
  ],
  ["a request in a chunk", `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${CHUNKED}\r\n${CHUNK}${END}`],
  [
    "the upgrade to HTTP/2",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n",
  ],
  [
    "the upgrade to a web socket",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAA\r\nSec-WebSocket-Version: 13\r\n\r\n",
  ],
])("a request with %s stays one", async (_, text) => {
  const { statuses, all } = await exchange(text);
  expect(statuses).toEqual([200, 200]);
  expect(all).not.toContain(TOLD);
});

test("a request of HTTP/1.0 is the last on its connection", async () => {
  const { statuses, all } = await exchange(`GET /healthz HTTP/1.0\r\n\r\n${HIDDEN}`);
  expect(statuses).toEqual([200]);
  expect(all).not.toContain(TOLD);
});

test("a trailer is no field of the request", async () => {
  const trailer = `${POST}${CHUNKED}Trailer: Content-Length\r\n\r\n0\r\nContent-Length: ${LENGTH}\r\n\r\n`;
  expect((await exchange(trailer)).statuses).toEqual([400, 200]);
});

test.each([
  "CONNECT localhost:80",
  "CONNECT evil.example:443",
  "OPTIONS *",
  "TRACE /healthz",
  "get /healthz",
])(
  "%s opens no other way",
  async (line) => {
    const { statuses } = await exchange(`${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect([[404, 200], [405, 200], [400], [400, 200]]).toContainEqual(statuses);
  },
);
