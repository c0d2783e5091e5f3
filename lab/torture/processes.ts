import { setTimeout as pause } from "node:timers/promises";
import { findWrites } from "./find.ts";
import { unfinishedJobs } from "./jobs.ts";
import { Load } from "./load.ts";
import { type Books, type Options, type Scenario, until } from "./scenario.ts";
import { type Caller, serverUrl, Stage } from "./service.ts";

export const processes: Scenario = {
  name: "processes",
  summary:
    "two processes serve and one runs the jobs; each client's calls go to both; two of them are killed",
  rounds: 2,
  run: shareTheWork,
};

/** Longer than any process remembers a right. */
const REFUSED_WITHIN_S = 5;
const JOBS_DONE_WITHIN_S = 120;

async function shareTheWork(books: Books, options: Options): Promise<void> {
  if (!serverUrl) return options.say("not tried: the embedded database has one process (set DATABASE_URL)");
  const one = await Stage.open({ JOBS: "off", EMBEDDING_THREADS: "0" });
  const two = Stage.over(one.place, { JOBS: "off", EMBEDDING_THREADS: "0" });
  const worker = Stage.over(one.place, { JOBS: "only", EMBEDDING_THREADS: "1" });
  try {
    await one.start();
    await two.start();
    worker.launch();
    for (let round = 1; round <= options.rounds; round++) {
      options.say(`round ${round}/${options.rounds}: ${await spread(books, { one, two, worker })}`);
    }
    const left = await unfinishedJobs(one, JOBS_DONE_WITHIN_S);
    books.expect(left.length === 0, `stuck jobs: ${JSON.stringify(left)}`);
    const seconds = await timeToForget(books, one, two);
    options.say(
      `no job is stuck; a revoked key is refused by the other process after ${seconds.toFixed(1)} s`,
    );
  } finally {
    await worker.release();
    await two.release();
    await one.close();
  }
}

interface Processes {
  one: Stage;
  two: Stage;
  worker: Stage;
}

async function spread(books: Books, { one, two, worker }: Processes): Promise<string> {
  const caller = await one.caller();
  const load = new Load(books.ledger, inTurns(caller, [one.url, two.url]), "spread");
  await until("the load is under way", 60, () => load.acknowledged > 200);
  await two.kill();
  await worker.kill();
  await pause(1000);
  await two.start();
  worker.launch();
  const before = load.acknowledged;
  await until("all processes work again", 60, () => load.acknowledged > before + 200);
  await load.stop();
  books.ledger.settle(await findWrites(two, { ...caller, url: two.url }));
  books.expect(
    load.attempts.every(({ status }) => status < 500 || status === 503),
    "an answer of 500 or more",
  );
  return `${load.answered} calls answered, one process and the worker killed`;
}

/** A caller each of whose calls goes to the next address, as behind a proxy that takes turns. */
function inTurns({ token, project }: Caller, urls: string[]): Caller {
  let calls = 0;
  return {
    token,
    project,
    get url() {
      return urls[calls++ % urls.length]!;
    },
  };
}

/** Revokes a key at one process and answers the seconds until the other refuses it. */
async function timeToForget(books: Books, one: Stage, two: Stage): Promise<number> {
  const { token } = await one.caller();
  const made = await one.call<{ id: string; key: string }>(token, "POST", "/keys", { name: "spread" });
  await two.call(made.key, "GET", "/projects");
  await one.call(token, "DELETE", `/keys/${made.id}`);
  const refused = async () => {
    const headers = { authorization: `Bearer ${made.key}` };
    return (await two.service.call("GET", "/api/projects", { headers })).status === 401;
  };
  const seconds = await until("the key is refused", 2 * REFUSED_WITHIN_S, refused);
  books.expect(seconds <= REFUSED_WITHIN_S, `a revoked key was taken for ${seconds.toFixed(1)} s`);
  return seconds;
}
