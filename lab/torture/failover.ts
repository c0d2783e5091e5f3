import { setTimeout as pause } from "node:timers/promises";
import { unfinishedJobs } from "./jobs.ts";
import { Load } from "./load.ts";
import { type Books, NotTried, type Options, type Scenario, until } from "./scenario.ts";
import { hasServers, ServerPair } from "./servers.ts";
import { Stage } from "./service.ts";

export const failover: Scenario = {
  name: "failover",
  database: "PostgreSQL",
  summary: "kill -9 of a PostgreSQL primary under 16 clients; its synchronous standby is promoted",
  rounds: 2,
  run: failOver,
};

/** The time between the death of a primary and the decision to promote. */
const NOTICED_AFTER_MS = 3_000;
const SERVES_WITHIN_S = 5;
const JOBS_DONE_WITHIN_S = 120;

async function failOver(books: Books, { rounds, say }: Options): Promise<void> {
  if (!await hasServers()) {
    throw new NotTried("there are no programs of PostgreSQL 17 (POSTGRES_BIN, lab/torture/README.md)");
  }
  for (let round = 1; round <= rounds; round++) {
    const pair = await ServerPair.start();
    const place = { url: pair.url, dataDir: await Deno.makeTempDir({ prefix: "handoff-failover-" }) };
    const stage = Stage.over(place, { EMBEDDING_THREADS: "1" });
    try {
      await stage.start();
      say(`round ${round}/${rounds}: ${await losePrimary(books, stage, pair)}`);
    } finally {
      await stage.release();
      await pair.close();
      await Deno.remove(place.dataDir, { recursive: true });
    }
  }
}

async function losePrimary(books: Books, stage: Stage, pair: ServerPair): Promise<string> {
  const load = new Load(books.ledger, await stage.caller(), "failover");
  await load.underWay(200);
  await pair.killPrimary();
  await pause(NOTICED_AFTER_MS);
  const during = load.acknowledged;
  await pair.promote();
  const seconds = await until("writes are acknowledged again", 60, () => load.acknowledged > during);
  const again = `acknowledged again ${seconds.toFixed(1)} s after the promotion`;
  books.expect(seconds <= SERVES_WITHIN_S, again);
  await load.underWay(200);
  await load.settle(stage);
  books.expect(load.count(500) === 0, "a 500");
  books.expectNone(await unfinishedJobs(stage, JOBS_DONE_WITHIN_S), "stuck jobs");
  return `${again}, ${load.count(503)} calls got 503 before; no job is stuck`;
}
