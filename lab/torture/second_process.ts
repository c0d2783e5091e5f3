import { setTimeout as pause } from "node:timers/promises";
import { createHash } from "node:crypto";
import { draft } from "./journey.ts";
import { Load } from "./load.ts";
import { withDatabase } from "../database.ts";
import { type Books, inParts, type Scenario } from "./scenario.ts";
import { serverUrl, Stage } from "./service.ts";
import { addTexts, onShadow } from "./shadow.ts";

export const secondProcess: Scenario = {
  name: "second_process",
  summary: "a second process on the embedded folder or on the server; a job killed with its process",
  rounds: 3,
  run: inParts([serverUrl ? bothServe : secondIsRefused, killedJob]),
};

/** Longer than any start takes to load its files. */
const REFUSED_WITHIN_MS = 1000;
const RUN_AGAIN_WITHIN_S = 90;

async function secondIsRefused(books: Books): Promise<string> {
  return await Stage.play(async (stage) => {
    const load = new Load(books.ledger, await stage.caller(), "first", 8);
    await load.underWay();
    await load.stop();
    // The first process is stopped, so that only the second could touch the files.
    stage.service.kill("SIGSTOP");
    const before = await digestOf(`${stage.place.dataDir}/db`);
    const idle = await timeToEnd(stage, { DATABASE_URL: "postgres://postgres@127.0.0.1:1/none" });
    const refusal = await timeToEnd(stage, {});
    const after = await digestOf(`${stage.place.dataDir}/db`);
    stage.service.kill("SIGCONT");
    await load.settle(stage);
    const beyond = refusal.ms - idle.ms;
    books.expect(
      refusal.code === 1 && refusal.output.includes("in use by another process"),
      `second: ${refusal.output}`,
    );
    books.expect(beyond < REFUSED_WITHIN_MS, `second: refused after ${refusal.ms.toFixed(0)} ms`);
    books.expect(before === after, "second: the data was touched");
    const [ms, idleMs] = [refusal, idle].map(({ ms }) => ms.toFixed(0));
    return `second process refused after ${ms} ms, of which ${idleMs} load its files`;
  });
}

/** Runs a second process on another port, and measures the time until it ends. */
async function timeToEnd(stage: Stage, env: Record<string, string>) {
  const started = performance.now();
  const other = Stage.over(stage.place, {}).launch(env);
  const code = await other.ended();
  return { ms: performance.now() - started, code, output: other.output };
}

async function digestOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    hash.update(`${name} ${isDirectory ? await digestOf(path) : await digestOfFile(path)}\n`);
  }
  return hash.digest("hex");
}

async function digestOfFile(path: string): Promise<string> {
  return createHash("sha256").update(await Deno.readFile(path)).digest("hex");
}

/** Lets two processes on a server share the work. One is killed, and the other goes on. */
async function bothServe(books: Books): Promise<string> {
  return await Stage.play(async (stage) => {
    const other = stage.beside();
    await other.start();
    const caller = await stage.caller();
    const loads = [
      new Load(books.ledger, caller, "one", 8),
      new Load(books.ledger, { ...caller, url: other.url }, "two", 8),
    ];
    for (const load of loads) await load.underWay();
    await stage.kill();
    await pause(1000);
    await stage.start();
    await pause(1000);
    for (const load of loads) await load.stop();
    await loads[0]!.settle(stage);
    books.expectNone(loads[1]!.harmed, "calls to the other process were harmed");
    return `two processes: ${loads.map(({ answered }) => answered).join(" and ")} calls answered`;
  });
}

/**
 * Sends a text that keeps the model busy for 8 s, so that its job is running when the process is
 * killed.
 */
async function killedJob(books: Books): Promise<string> {
  return await onShadow(addTexts, async (stage) => {
    const { token, project } = await stage.caller();
    const entry = books.ledger.enter("embedding", "slow");
    const text = "A slow text, which the model takes its time for.";
    await stage.call(token, "POST", `${project}/tickets`, draft("slow", text));
    entry.state = "acknowledged";
    // The creation waited two seconds for its hint, and its job is fetched within two more.
    await pause(4000);
    await stage.kill();
    const killed = Date.now();
    await stage.start();
    await pause(RUN_AGAIN_WITHIN_S * 1000);
    await stage.service.stop();
    const { job, embeddings } = await readJob(stage);
    books.ledger.settle(new Map([["embedding slow", embeddings]]));
    const seconds = (Date.parse(job.completed_on) - killed) / 1000;
    books.expect(job.retry_count > 0, "killed job: it was not at work when it was killed");
    books.expect(
      job.state === "completed" && seconds < RUN_AGAIN_WITHIN_S,
      `killed job: ${JSON.stringify(job)}`,
    );
    return `killed job: done ${seconds.toFixed(0)} s after the kill, its effect ${embeddings} times`;
  });
}

async function readJob({ place }: Stage) {
  return await withDatabase(place, async (sql) => {
    const [job] = await sql<{ state: string; retry_count: number; completed_on: string }[]>`
      select state::text as state, retry_count, completed_on from pgboss.job where name = 'embed-ticket'`;
    const [row] = await sql<{ count: number }[]>`select count(*) as count from ticket_embeddings`;
    if (!job || !row) throw new Error("there is no job for the slow text");
    return { job, embeddings: row.count };
  });
}
