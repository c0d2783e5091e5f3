import { setTimeout as pause } from "node:timers/promises";
import { type Books, type Options, quantile, type Scenario } from "./scenario.ts";
import { type Caller, serverUrl, Stage, withDatabase } from "./service.ts";

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
  const stage = await Stage.open({ JOBS: "off" });
  try {
    await stage.start();
    for (let round = 0; round < rounds; round++) await waitOnce(books, stage, say);
  } finally {
    await stage.close();
  }
}

async function waitOnce(books: Books, stage: Stage, say: Options["say"]): Promise<void> {
  const person = await stage.caller();
  const { key } = await stage.call<{ key: string }>(person.token, "POST", "/keys", { name: "agent" });
  const paths = await askAll(stage, { ...person, token: key });
  // The server counts the last transactions of the asking some moments later.
  await pause(3000);
  const [idle, memory] = [await transactions(stage), await residentBytes(stage)];
  const ended = new Map<string, number>();
  const waiting = paths.map(async (path) => {
    const { status } = await stage.call<{ status: string }>(key, "GET", `${path}?wait=50`);
    ended.set(path, performance.now());
    books.expect(status === "answered", `${path}: the waiter was told that it is ${status}`);
  });
  await pause(3000);
  const busy = await transactions(stage);
  const kib = (await residentBytes(stage) - memory) / 1024 / WAITERS;
  const answered = new Map<string, number>();
  for (const path of paths.toSorted(() => Math.random() - 0.5)) {
    await stage.call(person.token, "POST", `${path}/answer`, { text: "So" });
    answered.set(path, performance.now());
  }
  await Promise.all(waiting);
  const late = paths.map((path) => ended.get(path)! - answered.get(path)!);
  const last = Math.max(...late);
  books.expect(last <= LATEST_MS, `a waiter heard of its answer after ${last.toFixed(0)} ms`);
  books.expect(busy < WAITERS / 10, `${busy} transactions while all waited, ${idle} before`);
  books.expect(kib <= KIB_PER_WAITER, `a waiter took ${kib.toFixed(0)} KiB of memory`);
  say(
    `after the answer: median ${quantile(late, 0.5).toFixed(0)} ms, last ${last.toFixed(0)} ms; ` +
      `transactions in 3 s: ${idle} without waiters, ${busy} with ${WAITERS}; ` +
      `memory ${kib.toFixed(0)} KiB a waiter`,
  );
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

/** Transactions of the database in three seconds; 0 where nobody but the service may look. */
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
