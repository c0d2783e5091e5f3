import { readUnfinished } from "./jobs.ts";
import { Load } from "./load.ts";
import type { Books, Options, Scenario } from "./scenario.ts";
import { type Caller, Stage } from "./service.ts";
import { type Line, openLine, requestHead } from "./sockets.ts";

export const drain: Scenario = {
  name: "drain",
  summary:
    "SIGTERM under 16 clients and some slow ones: every accepted call answered, jobs handed back, exit 0",
  rounds: 5,
  run: drainAgain,
};

const END_WITHIN_S = 10;

async function drainAgain(books: Books, { rounds, say }: Options): Promise<void> {
  await Stage.play(async (stage) => {
    for (let n = 1; n <= rounds; n++) say(`round ${n}/${rounds}, ${await round(stage, books)}`);
  }, { EMBEDDING_THREADS: "1" });
}

async function round(stage: Stage, books: Books): Promise<string> {
  const caller = await stage.caller();
  const load = new Load(books.ledger, caller, "drained");
  await load.underWay(100);
  const slow = await slowOnes(stage, caller);
  const started = performance.now();
  const code = await stage.service.stop();
  const seconds = (performance.now() - started) / 1000;
  // The load stops before there is a new process, so that unanswered requests are not repeated.
  await load.stop();
  for (const line of slow) line.close();
  const active = (await readUnfinished(stage)).filter(({ state }) => state === "active");
  await stage.start();
  const silent = await load.settle(stage);
  books.expect(code === 0, `ended with ${code}`);
  books.expect(seconds < END_WITHIN_S, `ended after ${seconds.toFixed(1)} s`);
  books.expectNone(silent, "calls were done and not answered");
  books.expectNone(active, "jobs were not handed back");
  const calls = `${load.acknowledged} calls answered, ${silent.length} done in silence`;
  return `exit ${code} after ${seconds.toFixed(1)} s, ${calls}`;
}

/** Opens half bodies, answers that nobody reads, and idle connections that are kept open. */
async function slowOnes(stage: Stage, { project, token }: Caller): Promise<Line[]> {
  const fields = { Authorization: `Bearer ${token}` };
  const lines = await Promise.all(Array.from({ length: 60 }, () => openLine(stage.port)));
  for (const [n, line] of lines.entries()) {
    if (n < 10) {
      const head = { ...fields, "Content-Type": "application/json", "Content-Length": "200" };
      await line.write(requestHead("POST", `${project}/tickets`, head) + '{"title":"half a ');
    } else {
      await line.write(requestHead("GET", `${project}/tickets?limit=200`, fields));
      if (n >= 20) await line.status();
    }
  }
  return lines;
}
