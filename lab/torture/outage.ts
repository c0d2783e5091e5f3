import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "../numbers.ts";
import { startTcpProxy, targetOf, type TcpProxy, throughProxy } from "../../tests/tcp_proxy.ts";
import { unfinishedJobs } from "./jobs.ts";
import type { Attempt } from "./client.ts";
import { Load } from "./load.ts";
import { type Books, type Options, type Scenario, until } from "./scenario.ts";
import { serverUrl, Stage } from "./service.ts";

export const outage: Scenario = {
  name: "outage",
  summary: "the database goes away for 10 s under 16 clients, in every way it can",
  rounds: 2,
  run: goAway,
};

const OUTAGE_MS = 10_000;
const ANSWER_MS = 2_000;

/** A kind of outage. `answers` means that the service keeps running and must answer every call. */
interface Way {
  name: string;
  answers: boolean;
  leave(stage: Stage): void | Promise<void>;
  /** `stage` must be ready for its clients when this has finished. */
  comeBack(stage: Stage): void | Promise<void>;
}

async function goAway(books: Books, options: Options): Promise<void> {
  const { rounds, say } = options;
  const proxy = serverUrl ? startTcpProxy(targetOf(serverUrl)) : null;
  const stage = await Stage.open({ EMBEDDING_THREADS: "1" });
  const ways = [frozen, ...(proxy ? [...throughProxyOf(proxy), ...stopped(options)] : [dead])];
  try {
    await stage.start(proxy ? { DATABASE_URL: throughProxy(stage.place.url!, proxy) } : {});
    for (let round = 0; round < rounds; round++) {
      for (const way of ways) say(`round ${round + 1}/${rounds}, ${await suffer(stage, way, books)}`);
    }
    books.expectNone(await unfinishedJobs(stage, 180), "stuck jobs");
    say("no job is stuck");
  } finally {
    await stage.close();
    proxy?.close();
  }
}

async function suffer(stage: Stage, way: Way, books: Books): Promise<string> {
  const caller = await stage.caller();
  const load = new Load(books.ledger, caller, way.name);
  await until("the load is under way", 60, () => load.answered > 50);
  const left = performance.now() - load.started;
  await way.leave(stage);
  await pause(OUTAGE_MS);
  const back = performance.now() - load.started;
  await way.comeBack(stage);
  const before = load.acknowledged;
  const seconds = await until("writes are acknowledged again", 30, () => load.acknowledged > before);
  await pause(1000);
  await load.settle(stage);
  const meanwhile = load.attempts.filter(({ at, ms }) => at + ms > left && at < back);
  if (way.answers) judge(meanwhile, left, books, way.name);
  books.expect(load.count(500) === 0, `${way.name}: a 500`);
  return `${way.name}: ${describe(meanwhile, left)}; acknowledged again after ${seconds.toFixed(1)} s`;
}

/** Checks that every call during the outage got an answer within two seconds. */
function judge(attempts: Attempt[], left: number, books: Books, way: string): void {
  const late = attempts.filter((attempt) => waited(attempt, left) >= ANSWER_MS);
  books.expectNone(late, `calls waited ${ANSWER_MS / 1000} s or more, ${way}`);
  books.expectNone(attempts.filter(({ status }) => status === 0), `calls got no answer, ${way}`);
}

function waited({ at, ms }: Attempt, left: number): number {
  return at + ms - Math.max(at, left);
}

function describe(attempts: Attempt[], left: number): string {
  const times = attempts.map((attempt) => waited(attempt, left));
  const refusals = attempts.filter(({ status }) => status === 503).length;
  const [p50, longest] = [quantile(times, 0.5), Math.max(0, ...times)].map((ms) => `${ms.toFixed(0)} ms`);
  return `${attempts.length} calls meanwhile, ${refusals} of them 503, p50 ${p50}, longest ${longest}`;
}

/** The machine stops and continues, like one that is moved or suspended. */
const frozen: Way = {
  name: "process frozen",
  answers: false,
  leave: (stage) => stage.service.kill("SIGSTOP"),
  comeBack: (stage) => stage.service.kill("SIGCONT"),
};

function throughProxyOf(proxy: TcpProxy): Way[] {
  const answers = true;
  return [
    { name: "packets swallowed", answers, leave: () => proxy.hold(), comeBack: () => proxy.release() },
    { name: "connections refused", answers, leave: () => proxy.refuse(), comeBack: () => proxy.accept() },
  ];
}

function stopped({ stopCommand: stop, startCommand: start }: Options): Way[] {
  if (!stop || !start) return [];
  return [{ name: "server stopped", answers: true, leave: () => shell(stop), comeBack: () => shell(start) }];
}

async function shell(command: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("sh", { args: ["-c", command], stdout: "null" })
    .output();
  if (!success) throw new Error(`${command} failed: ${new TextDecoder().decode(stderr)}`);
}

/**
 * The embedded engine dies of a message that no client sends. Its process must end, and a new
 * process must have all acknowledged writes.
 */
const dead: Way = {
  name: "engine dead",
  answers: false,
  async leave(stage) {
    const socket = await Deno.connect({ transport: "unix", path: `${stage.place.dataDir}/db.sock` });
    await socket.write(new Uint8Array(["z".charCodeAt(0), 0, 0, 0, 4]));
    const code = await stage.service.ended();
    socket.close();
    if (code !== 70) throw new Error(`the process ended with ${code} when its engine died`);
  },
  comeBack: async (stage) => void await stage.start(),
};
