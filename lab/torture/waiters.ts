import { setTimeout as pause } from "node:timers/promises";
import { withDatabase } from "../database.ts";
import { quantile } from "../numbers.ts";
import type { Books, Options, Scenario } from "./scenario.ts";
import { type Caller, serverUrl, Stage } from "./service.ts";

const WAITERS = 1000;
const PER_TICKET = 100;
const LATEST_MS = 500;
/** The most memory of a waiter: its request, its answer and its place in the feed. */
const KIB_PER_WAITER = 128;

export const waiters: Scenario = {
  name: "waiters",
  summary: `${WAITERS} callers wait for ${WAITERS} questions, which are answered in any order`,
  rounds: 1,
  run: waitTogether,
};

async function waitTogether(books: Books, { rounds, say }: Options): Promise<void> {
  const env = { JOBS: "off" };
  await Stage.play(async (stage) => {
    // On a server another process gets every second answer, so the process of the waiters has to
    // notice the answer by itself.
    const others = serverUrl ? [stage.beside(env)] : [];
    for (const other of others) await other.start();
    for (let round = 0; round < rounds; round++) await waitOnce(books, [stage, ...others], say);
  }, env);
}

async function waitOnce(
  books: Books,
  stages: readonly [Stage, ...Stage[]],
  say: Options["say"],
): Promise<void> {
  const [stage] = stages;
  const person = await stage.caller();
  const { key } = await stage.call<{ key: string }>(person.token, "POST", "/keys", { name: "agent" });
  const paths = await askAll(stage, { ...person, token: key });
  // The server counts the transactions that asked the questions some moments later.
  await pause(3000);
  const [idle, memory] = [await transactions(stage), await residentBytes(stage)];
  const ended = new Map<string, number>();
  const waiting = paths.map(async (path) => {
    // On a slow machine all the answers together take longer than a call may wait.
    const wait = () => stage.call<{ status: string }>(key, "GET", `${path}?wait=50`);
    let { status } = await wait();
    while (status === "pending") ({ status } = await wait());
    ended.set(path, performance.now());
    books.expect(status === "answered", `${path}: the waiter was told that it is ${status}`);
  });
  await pause(3000);
  const busy = await transactions(stage);
  const kib = (await residentBytes(stage) - memory) / 1024 / WAITERS;
  const answered = await answerAll(stages, person, paths);
  await Promise.all(waiting);
  const late = answered.map((times) => Array.from(times, ([path, at]) => ended.get(path)! - at));
  const last = Math.max(...late.flat());
  books.expect(last <= LATEST_MS, `a waiter heard of its answer after ${last.toFixed(0)} ms`);
  books.expect(busy < WAITERS / 10, `${busy} transactions while all waited, ${idle} before`);
  books.expect(kib <= KIB_PER_WAITER, `a waiter took ${kib.toFixed(0)} KiB of memory`);
  const times = late.map((some) =>
    `median ${quantile(some, 0.5).toFixed(0)} ms, last ${Math.max(...some).toFixed(0)} ms`
  );
  say(
    `after the answer: ${times.join("; after one in another process: ")}; transactions in 3 s: ` +
      `${idle} without waiters, ${busy} with ${WAITERS}; memory ${kib.toFixed(0)} KiB a waiter`,
  );
}

/**
 * Answers the questions in any order, through each process in turn. Returns the times of the
 * answers by process.
 */
async function answerAll(
  stages: readonly Stage[],
  { token }: Caller,
  paths: readonly string[],
): Promise<Map<string, number>[]> {
  const times = stages.map(() => new Map<string, number>());
  for (const [turn, path] of paths.toSorted(() => Math.random() - 0.5).entries()) {
    const nth = turn % stages.length;
    await stages[nth]!.call(token, "POST", `${path}/answer`, { text: "So" });
    times[nth]!.set(path, performance.now());
  }
  return times;
}

async function askAll(stage: Stage, { token, project }: Caller): Promise<string[]> {
  const paths: string[] = [];
  for (let n = 0; n < WAITERS; n += PER_TICKET) {
    const { ticket } = await stage.call<{ ticket: { id: string } }>(token, "POST", `${project}/tickets`, {
      title: `Torture waiters ${n}`,
      description: "Many wait for this one.",
      request_type: "bug",
      priority: "low",
      blocking: false,
      roles: ["qa"],
    });
    const path = `${project}/tickets/${ticket.id}/questions`;
    for (let one = 0; one < PER_TICKET; one++) {
      const { id } = await stage.call<{ id: string }>(token, "POST", path, { prompt: "Which way?" });
      paths.push(`${path}/${id}`);
    }
  }
  return paths;
}

async function residentBytes({ service }: Stage): Promise<number> {
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(await service.get("/metrics"))![1]);
}

/**
 * Returns the transactions of the database in three seconds; 0 on the embedded database, which only
 * the service can query.
 */
async function transactions({ place }: Stage): Promise<number> {
  if (!serverUrl) return 0;
  const read = () =>
    withDatabase(place, async (sql) => {
      const [row] = await sql<[{ n: number }]>`
        select xact_commit::integer as n from pg_stat_database where datname = current_database()`;
      return row.n;
    });
  const before = await read();
  await pause(3000);
  return await read() - before;
}
