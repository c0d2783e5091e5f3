import { afterAll, beforeAll, inject, vi } from "vitest";
import { FOLLOWERS } from "../jobs/followers.ts";
import { runJob } from "../jobs/main.ts";
import { buildApp } from "../src/app.ts";
import { parseConfig } from "../src/core/config.ts";
import { type Services, systemContext } from "../src/core/context.ts";
import type { Embedder } from "../src/embedding/embedder.ts";
import { startLog } from "../src/core/log.ts";
import type { Payload, QueueName } from "../src/core/queue.ts";
import { type RunningServices, startServices } from "../src/core/services.ts";
import type { HttpEnv } from "../src/http/request.ts";
import { localSender } from "../src/sending/sender.ts";
import { until } from "./until.ts";
import { copyTemplate, dropPlace, type Place, serverUrl } from "./database.ts";
import { refuseUndeclaredCode } from "./declared_codes.ts";

export interface CallOptions {
  /** Aborts when the client leaves. */
  signal?: AbortSignal;
  body?: unknown;
  /** Bearer credential. */
  token?: string;
  headers?: Record<string, string>;
  /** A body that is sent as it is, instead of `body`. */
  raw?: BodyInit;
  address?: string;
}

export interface Answer {
  status: number;
  // The test's assertions check the fields of an answer that it reads.
  // deno-lint-ignore no-explicit-any
  body: any;
  headers: Headers;
}

interface HarnessOptions {
  env?: Record<string, string>;
  embedder?: Embedder;
}

/** Queues whose jobs need no payload, because the clock creates them. */
type ClockQueue = {
  [Name in QueueName]: Record<never, never> extends Payload<Name> ? Name : never;
}[QueueName];

/**
 * The real app over a database of the test file's own. The app starts before the file's tests and
 * ends after them.
 */
export class Harness {
  readonly #running: RunningServices;
  readonly #fetch: (request: Request, env: HttpEnv["Bindings"]) => Response | Promise<Response>;
  readonly place: Place;
  /** Every statement that was sent so far. */
  readonly statements: string[];

  constructor(running: RunningServices, place: Place, statements: string[]) {
    this.#running = running;
    this.place = place;
    this.statements = statements;
    const app = buildApp(running.services, () => "ready");
    this.#fetch = (request, env) => app.fetch(request, env);
  }

  get services(): Services {
    return this.#running.services;
  }

  get boss(): RunningServices["boss"] {
    return this.#running.boss;
  }

  get sql(): Services["sql"] {
    return this.#running.services.sql;
  }

  /** Handles the request of a client that makes its own. */
  async fetch(
    request: Request,
    env: HttpEnv["Bindings"] = { remoteAddress: "127.0.0.1" },
  ): Promise<Response> {
    const response = await this.#fetch(request, env);
    await refuseUndeclaredCode(request, response);
    return response;
  }

  request(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const headers = new Headers(options.headers);
    if (options.token) headers.set("authorization", `Bearer ${options.token}`);
    const body = options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body));
    if (options.body !== undefined && !headers.has("content-type")) {
      headers.set("content-type", "application/json");
    }
    const { signal = null } = options;
    const request = new Request(`http://handoff.test${path}`, { method, headers, body, signal });
    return this.fetch(request, { remoteAddress: options.address ?? "127.0.0.1" });
  }

  /** Makes a call below /api and parses the answer's body. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const response = await this.request(method, `/api${path}`, options);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  }

  /** Runs the waiting jobs of a queue in the place of a worker, and returns their number. */
  async work(name: QueueName): Promise<number> {
    const jobs = await this.boss.fetch<object>(name, {
      batchSize: 100,
      ignoreStartAfter: true,
      includeMetadata: true,
    });
    for (const job of jobs) {
      try {
        await runJob(this.services, name, job);
        await this.boss.complete(name, job.id);
      } catch (error) {
        await this.boss.fail(name, job.id, { message: String(error) });
      }
    }
    return jobs.length;
  }

  /** Waits until every change so far has its number among the events. */
  async numbered(): Promise<void> {
    await until(async () => (await this.sql`select from event_outbox`).length === 0);
  }

  /**
   * Lets the followers of the events do what follows from every change so far, such as notifications
   * and deliveries of webhooks.
   */
  async follow(): Promise<void> {
    await this.numbered();
    for (const { name, catchUp } of FOLLOWERS) {
      const ctx = systemContext(this.services, { kind: "job", id: name }, "test");
      await until(() => catchUp(ctx));
    }
  }

  /**
   * Creates a job as the clock would, some time after the last change, runs the jobs of its queue,
   * and returns their number.
   */
  async run(name: ClockQueue): Promise<number> {
    await this.follow();
    await this.services.queue.enqueue(this.sql, name, {});
    return await this.work(name);
  }

  /**
   * Counts the statements that `work` sends, without those of the queue, the sequencer, the shared
   * counts, the database's upkeep and new connections. Callers who were known before it stay known until its
   * end, even if it takes long.
   */
  async count(work: () => Promise<unknown>): Promise<number> {
    return (await this.statementsOf(work)).length;
  }

  /** The statements that `count` counts. */
  async statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const before = this.statements.length;
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      await work();
    } finally {
      vi.useRealTimers();
    }
    return this.statements.slice(before).filter((text) =>
      !/pgboss|pg_|vacuum|^analyze|number_events|event_followers|into rate_limits as shared/.test(text)
    );
  }

  /** Ends the app, but keeps its database for other harnesses that use it. */
  async stop(): Promise<void> {
    await this.#running.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await dropPlace(this.place);
  }
}

export async function openHarness(options: HarnessOptions = {}): Promise<Harness> {
  const place = await copyTemplate(inject("template"));
  return await openHarnessAt(place, options);
}

/**
 * Opens the app over a database that stays when this harness closes. On a server another harness
 * may use it at the same time.
 */
export async function openHarnessAt(place: Place, options: HarnessOptions = {}): Promise<Harness> {
  const config = parseConfig({
    PUBLIC_URL: "http://handoff.test",
    DATA_DIR: place.dataDir,
    EMBEDDING_THREADS: "0",
    // The upkeep of the queues would add statements to those that tests count.
    JOBS: "off",
    LOG_LEVEL: Deno.env.get("TEST_LOG") ?? "off",
    ...(place.url && { DATABASE_URL: place.url }),
    ...options.env,
  });
  await startLog(config.LOG_LEVEL);
  const statements: string[] = [];
  const running = await startServices(config, {
    ...(options.embedder && { embedder: options.embedder }),
    sender: localSender(config.WEBHOOK_ALLOWED_HOSTS),
    onStatement: (text) => statements.push(text),
  });
  return new Harness(running, place, statements);
}

interface Held {
  readonly now: Harness;
}

/** Makes one harness for all tests of a file, or for those of many files. Call it at the top of the file. */
export function useHarness(options?: HarnessOptions): Held {
  return options === undefined && inject("sharesService")
    ? held(() => shared ??= openShared(), leaveAsFound)
    : held(() => openHarness(options), (harness) => harness.close());
}

/** The harness of all files that this process runs. It ends with the process, and its database with the run. */
let shared: Promise<Harness> | undefined;

async function openShared(): Promise<Harness> {
  const place = await copyTemplate(inject("template"));
  await Deno.writeTextFile(`${inject("run")}/${Deno.pid}.json`, JSON.stringify(place));
  return await openHarnessAt(place);
}

/** A file leaves nothing behind that the next one in the same process would notice, such as an open stream. */
async function leaveAsFound({ services }: Harness): Promise<void> {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await until(() => services.feed.size === 0);
}

/**
 * Opens a second process over the first one's database. The embedded database has a single process,
 * which then serves as its own second.
 */
export function useSecondHarness(first: Held, options: HarnessOptions = {}): Held {
  return held(
    async () => serverUrl ? await openHarnessAt(first.now.place, options) : first.now,
    async (second) => {
      if (second !== first.now) await second.stop();
    },
  );
}

function held(open: () => Promise<Harness>, close: (harness: Harness) => void | Promise<void>): Held {
  let harness: Harness | undefined;
  beforeAll(async () => {
    harness = await open();
  });
  afterAll(() => harness && close(harness));
  return {
    get now() {
      if (!harness) throw new Error("the harness starts before the first test");
      return harness;
    },
  };
}
