import { expect, test } from "vitest";
import { useService } from "../use_service.ts";

const service = useService();

const decoder = new TextDecoder();

/**
 * The head of the next answer on the connection, its body read too; null when the server closed it.
 */
async function nextHead(connection: Deno.TcpConn): Promise<string | null> {
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  for (;;) {
    const read = await connection.read(buffer);
    if (read === null) return null;
    text += decoder.decode(buffer.subarray(0, read));
    const [head, body] = text.split("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(head!)?.[1] ?? NaN);
    if (body !== undefined && body.length >= length) return head!;
  }
}

async function send(connection: Deno.TcpConn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

function connect(): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(service.now.url);
  return Deno.connect({ hostname, port: Number(port) });
}

// Deno 2.8.3 to 2.9.5 closed the connection after every body of more than some 500 bytes.
test.each([10, 2_000, 200_000])("a connection stays open after a body of %d bytes", async (length) => {
  using connection = await connect();
  const body = JSON.stringify({ email: "nobody@example.test", password: "x".repeat(length) });
  const request = `POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
  for (const _ of ["first", "second"]) {
    await send(connection, request);
    const head = await nextHead(connection);
    expect(head).toMatch(/^HTTP\/1\.1 4/);
    expect(head!.toLowerCase()).not.toContain("connection: close");
  }
});

test("a body is measured although its length is announced twice", async () => {
  using connection = await connect();
  const body = JSON.stringify({ email: "nobody@example.test", password: "x".repeat(300 * 1024) });
  const length = `Content-Length: ${body.length}\r\n`;
  const head = `POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  const sending = send(connection, `${head}${length}${length}\r\n${body}`).catch(() => {}); // it closes on us
  expect(await nextHead(connection)).toMatch(/^HTTP\/1\.1 413/);
  await sending;
});

test.each(["x/metrics?", "x/metrics#", "/", "[", "a b", "%zz", "a:99999", "999.1.1.1"])(
  "a Host that is none is 400, and leads to no other path: %j",
  async (host) => {
    for (const path of ["/api/auth/me", "/trpc/auth.me"]) {
      using connection = await connect();
      await send(connection, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect(await nextHead(connection)).toMatch(/^HTTP\/1\.1 400/);
    }
  },
);

test.each(["a:99999", "999.1.1.1", "xn--0"])("nor may the request line name the host %j", async (host) => {
  for (const path of ["/api/auth/me", "/trpc/auth.me"]) {
    using connection = await connect();
    await send(connection, `GET http://${host}${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(await nextHead(connection)).toMatch(/^HTTP\/1\.1 400/);
  }
});

test.each([
  "",
  "localhost",
  "localhost:",
  "tickets.example.org:443",
  "127.0.0.1:3000",
  "[::1]:3000",
  "my_service",
])(
  "the Host %s is one",
  async (host) => {
    using connection = await connect();
    await send(connection, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(await nextHead(connection)).toMatch(/^HTTP\/1\.1 200/);
  },
);

test("what bodies are announced to have takes no memory before it comes", async () => {
  const resident = async () => {
    const text = await (await fetch(`${service.now.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]);
  };
  const before = await resident();
  const connections = await Promise.all(Array.from({ length: 300 }, connect));
  for (const connection of connections) {
    await send(
      connection,
      "POST /api/webhooks/github HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n\r\n",
    );
  }
  // The server answers this after all earlier requests.
  await fetch(`${service.now.url}/healthz`);
  const taken = await resident() - before;
  for (const connection of connections) connection.close();
  expect(taken).toBeLessThan(300 * 512 * 1024);
});
