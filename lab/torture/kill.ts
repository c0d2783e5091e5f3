import { setTimeout as pause } from "node:timers/promises";
import { findWrites } from "./find.ts";
import { Load } from "./load.ts";
import { type Books, type Options, quantile, type Scenario, until } from "./scenario.ts";
import { Stage } from "./service.ts";

export const kill: Scenario = {
  name: "kill",
  summary: "kill -9 of the service under 16 clients, again and again",
  rounds: 20,
  run: killAgain,
};

async function killAgain(books: Books, { rounds, say }: Options): Promise<void> {
  const stage = await Stage.open();
  const starts = [await stage.start()];
  try {
    for (let round = 0; round < rounds; round++) {
      const caller = await stage.caller();
      const load = new Load(books.ledger, caller, `r${round}`);
      // The process is killed twice in a round, so that repeats after the first kill meet the
      // second.
      for (let n = 0; n < 2; n++) {
        const before = load.acknowledged;
        await until("the load is under way", 60, () => load.acknowledged > before + 40);
        await pause(Math.random() * 1500);
        await stage.kill();
        starts.push(await stage.start());
      }
      await pause(500);
      await load.stop();
      books.ledger.settle(await findWrites(stage, caller));
      books.expect(load.attempts.every(({ status }) => status !== 500), `round ${round}: a 500`);
      const { sent, acknowledged, missing, doubled } = books.ledger.counts;
      say(
        `round ${
          round + 1
        }/${rounds}: ${sent} sent, ${acknowledged} acknowledged, ${missing} missing, ${doubled} doubled`,
      );
    }
    say(`${rounds * 2} kills; ready again after ${quantile(starts, 0.5).toFixed(1)} s (median)`);
  } finally {
    await stage.close();
  }
}
