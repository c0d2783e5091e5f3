/**
 * The load generator. It is a process of its own, so that the service's process does not measure
 * itself. It reads a LoadPlan from stdin, sends it over keep-alive connections, and writes a
 * LoadResult to stdout. It uses bare sockets and prepared bytes, because on shared cores the
 * generator's processor time is lost to the measured side.
 */
import { setTimeout as pause } from "node:timers/promises";

export interface LoadRequest {
  method: string;
  path: string;
  /** JSON; `{n}` in it becomes a number that no other request of the run has. */
  body?: string;
  headers?: Record<string, string>;
}

export interface LoadPlan {
  origin: string;
  headers?: Record<string, string>;
  /** Requests that are sent in turn. After the last one, the first follows again. */
  requests: LoadRequest[];
  clients: number;
  seconds: number;
  /** The most requests of the run. */
  count?: number;
  /**
   * Requests per second that are due even if earlier ones have no answer yet. If absent, a client
   * sends its next request when it has the answer.
   */
  rate?: number;
  /** The first value of `{n}`. */
  firstNumber?: number;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  perSecond: number;
  /** The number of answers by status. `broken` counts lost connections. */
  statuses: Record<string, number>;
  /** Milliseconds. In the open loop they count from the moment at which the request was due. */
  latency: { p50: number; p90: number; p99: number; max: number };
}

const NUMBER_WIDTH = 10;

/** One request as bytes, with the positions of its number. */
interface Prepared {
  bytes: Uint8Array<ArrayBuffer>;
  numbers: number[];
}

function prepare(plan: LoadPlan, request: LoadRequest): Prepared {
  const encoder = new TextEncoder();
  const body = encoder.encode((request.body ?? "").replaceAll("{n}", "0".repeat(NUMBER_WIDTH)));
  const headers = { host: new URL(plan.origin).host, ...plan.headers, ...request.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const type = request.body === undefined
    ? ""
    : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  const head = encoder.encode(`${request.method} ${request.path} HTTP/1.1\r\n${lines}${type}\r\n`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return { bytes, numbers: findNumbers(request.body ?? "", head.length) };
}

function findNumbers(body: string, offset: number): number[] {
  const encoder = new TextEncoder();
  const parts = body.split("{n}");
  let at = offset;
  return parts.slice(0, -1).map((part) => {
    const place = at + encoder.encode(part).length;
    at = place + NUMBER_WIDTH;
    return place;
  });
}

function numbered({ bytes, numbers }: Prepared, number: number): Uint8Array<ArrayBuffer> {
  if (numbers.length === 0) return bytes;
  const copy = bytes.slice();
  for (const place of numbers) {
    for (let digit = NUMBER_WIDTH - 1, rest = number; digit >= 0; digit--, rest = Math.floor(rest / 10)) {
      copy[place + digit] = 48 + rest % 10;
    }
  }
  return copy;
}

/** One keep-alive connection, one request at a time. */
class Client {
  readonly #address: Deno.ConnectOptions;
  #connection: Deno.TcpConn | undefined;
  readonly #buffer = new Uint8Array(512 * 1024);

  constructor(origin: string) {
    const { hostname, port } = new URL(origin);
    this.#address = { hostname, port: Number(port) };
  }

  /** Sends a request, reads the answer to its end and returns its status. */
  async send(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    try {
      this.#connection ??= await connect(this.#address);
      for (let sent = 0; sent < bytes.length;) sent += await this.#connection.write(bytes.subarray(sent));
      return await this.#read(this.#connection);
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionReset || error instanceof BrokenAnswer)) throw error;
      this.close();
      return "broken";
    }
  }

  async #read(connection: Deno.TcpConn): Promise<string> {
    let length = 0;
    let total = Infinity;
    let status = "";
    let closes = false;
    while (length < total) {
      const read = await connection.read(this.#buffer.subarray(length));
      if (read === null) throw new BrokenAnswer("the connection was closed in mid-answer");
      length += read;
      if (total < Infinity) continue;
      const head = readHead(this.#buffer.subarray(0, length));
      if (head) ({ status, total, closes } = head);
    }
    if (closes) this.close();
    return status;
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

class BrokenAnswer extends Error {}

async function connect(address: Deno.ConnectOptions): Promise<Deno.TcpConn> {
  const connection = await Deno.connect(address);
  connection.setNoDelay(true);
  return connection;
}

const decoder = new TextDecoder("latin1");

function readHead(bytes: Uint8Array): { status: string; total: number; closes: boolean } | undefined {
  const text = decoder.decode(bytes.subarray(0, 4096));
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end).toLowerCase();
  const status = head.slice(9, 12);
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length === undefined && status !== "204") {
    throw new Error(`the generator reads answers with a Content-Length only: ${head}`);
  }
  return { status, total: end + 4 + Number(length ?? 0), closes: head.includes("\r\nconnection: close") };
}

class Run {
  readonly #plan: LoadPlan;
  readonly #prepared: Prepared[];
  readonly #latencies: number[] = [];
  readonly #statuses: Record<string, number> = {};
  readonly #started = performance.now();
  readonly #until: number;
  #next = 0;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#prepared = plan.requests.map((request) => prepare(plan, request));
    this.#until = this.#started + plan.seconds * 1000;
  }

  async closedLoop(): Promise<LoadResult> {
    const clients = Array.from({ length: this.#plan.clients }, () => new Client(this.#plan.origin));
    await Promise.all(clients.map(async (client) => {
      while (this.#mayStart(performance.now())) await this.#send(client, performance.now());
      client.close();
    }));
    return this.#result();
  }

  /**
   * Due requests wait for a free connection. Their time counts from the moment at which they were
   * due.
   */
  async openLoop(rate: number): Promise<LoadResult> {
    const idle = Array.from({ length: this.#plan.clients }, () => new Client(this.#plan.origin));
    const waiting: number[] = [];
    const running = new Set<Promise<void>>();
    const start = (due: number) => {
      const client = idle.pop();
      if (!client) return void waiting.push(due);
      const done = this.#send(client, due).then(() => {
        running.delete(done);
        idle.push(client);
        const late = waiting.shift();
        if (late !== undefined) start(late);
      });
      running.add(done);
    };
    for (let due = this.#started; this.#mayStart(due); due += 1000 / rate) {
      const early = due - performance.now();
      if (early > 0) await pause(early);
      start(due);
    }
    while (running.size > 0) await Promise.all(running);
    for (const client of idle) client.close();
    return this.#result();
  }

  #mayStart(at: number): boolean {
    return at < this.#until && this.#next < (this.#plan.count ?? Infinity);
  }

  async #send(client: Client, due: number): Promise<void> {
    const number = this.#next++;
    const prepared = this.#prepared[number % this.#prepared.length]!;
    const status = await client.send(numbered(prepared, (this.#plan.firstNumber ?? 0) + number));
    this.#latencies.push(performance.now() - due);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  #result(): LoadResult {
    const seconds = (performance.now() - this.#started) / 1000;
    const sorted = this.#latencies.sort((a, b) => a - b);
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
    return {
      requests: sorted.length,
      seconds,
      perSecond: sorted.length / seconds,
      statuses: this.#statuses,
      latency: { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) },
    };
  }
}

if (import.meta.main) {
  const plan: LoadPlan = await new Response(Deno.stdin.readable).json();
  const run = new Run(plan);
  const result = plan.rate === undefined ? await run.closedLoop() : await run.openLoop(plan.rate);
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(result)));
}
