import { setTimeout as pause } from "node:timers/promises";
import { send } from "../client.ts";
import { unfinishedJobs } from "./jobs.ts";
import { Load } from "./load.ts";
import { type Books, NotTried, type Options, type Scenario, until } from "./scenario.ts";
import { type Caller, serverUrl, Stage } from "./service.ts";

export const processes: Scenario = {
  name: "processes",
  summary:
    "two processes serve and one runs the jobs; each client's calls go to both; two of them are killed",
  rounds: 2,
  run: shareTheWork,
};

/** This is longer than any process remembers a right. */
const REFUSED_WITHIN_S = 5;
const JOBS_DONE_WITHIN_S = 120;

async function shareTheWork(books: Books, options: Options): Promise<void> {
  if (!serverUrl) throw new NotTried("the embedded database has one process (set DATABASE_URL)");
  const serves = { JOBS: "off", EMBEDDING_THREADS: "0" };
  await Stage.play(async (one) => {
    const two = one.beside(serves);
    const worker = one.beside({ JOBS: "only", EMBEDDING_THREADS: "1" });
    await two.start();
    worker.launch();
    for (let round = 1; round <= options.rounds; round++) {
      options.say(`round ${round}/${options.rounds}: ${await spread(books, { one, two, worker })}`);
    }
    books.expectNone(await unfinishedJobs(one, JOBS_DONE_WITHIN_S), "stuck jobs");
    const seconds = (await timeToForget(books, one, two)).toFixed(1);
    options.say(`no job is stuck; a revoked key is refused by the other process after ${seconds} s`);
  }, serves);
}

interface Processes {
  one: Stage;
  two: Stage;
  worker: Stage;
}

async function spread(books: Books, { one, two, worker }: Processes): Promise<string> {
  const caller = await one.caller();
  const load = new Load(books.ledger, inTurns(caller, [one.url, two.url]), "spread");
  await load.underWay(200);
  await two.kill();
  await worker.kill();
  await pause(1000);
  await two.start();
  worker.launch();
  await load.underWay(200);
  await load.settle(two, { ...caller, url: two.url });
  books.expectNone(
    load.harmed.filter(({ status }) => status > 0 && status !== 503),
    "answers of 500 or more",
  );
  return `${load.answered} calls answered, one process and the worker killed`;
}

/** Makes a caller whose calls go to the addresses in turn, as behind a proxy. */
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

/** Revokes a key at one process and returns the seconds until the other process refuses it. */
async function timeToForget(books: Books, one: Stage, two: Stage): Promise<number> {
  const { token } = await one.caller();
  const made = await one.call<{ id: string; key: string }>(token, "POST", "/keys", { name: "spread" });
  await two.call(made.key, "GET", "/projects");
  await one.call(token, "DELETE", `/keys/${made.id}`);
  const refused = async () =>
    (await send("GET", `${two.url}/api/projects`, { token: made.key })).status === 401;
  const seconds = await until("the key is refused", 2 * REFUSED_WITHIN_S, refused);
  books.expect(seconds <= REFUSED_WITHIN_S, `a revoked key was taken for ${seconds.toFixed(1)} s`);
  return seconds;
}
