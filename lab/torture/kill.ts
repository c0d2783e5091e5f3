import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "../numbers.ts";
import { Load } from "./load.ts";
import type { Books, Options, Scenario } from "./scenario.ts";
import { Stage } from "./service.ts";

export const kill: Scenario = {
  name: "kill",
  summary: "kill -9 of the service under 16 clients, again and again",
  rounds: 20,
  run: killAgain,
};

async function killAgain(books: Books, { rounds, say }: Options): Promise<void> {
  await Stage.play(async (stage) => {
    const starts: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const caller = await stage.caller();
      const load = new Load(books.ledger, caller, `r${round}`);
      // The process is killed twice in a round, so that repeats after the first kill meet the
      // second.
      for (let n = 0; n < 2; n++) {
        await load.underWay(40);
        await pause(Math.random() * 1500);
        await stage.kill();
        starts.push(await stage.start());
      }
      await pause(500);
      await load.settle(stage);
      books.expect(load.count(500) === 0, `round ${round}: a 500`);
      const { sent, acknowledged, missing, doubled } = books.ledger.counts;
      const counts = `${sent} sent, ${acknowledged} acknowledged, ${missing} missing, ${doubled} doubled`;
      say(`round ${round + 1}/${rounds}: ${counts}`);
    }
    say(`${rounds * 2} kills; ready again after ${quantile(starts, 0.5).toFixed(1)} s (median)`);
  });
}
