import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { type ServiceProcess, startService } from "../service_process.ts";
import { effectsAt, prepareStream, SECRETS, sendAll, sendUntilTaken } from "./_stream.ts";

const SUBJECTS = 200;
const KILLS = 4;

test(
  "1,000 mixed deliveries survive kill -9 at random moments: the state is that of an undisturbed run",
  async () => {
    const { place, lanes, expected } = await prepareStream(SUBJECTS);

    let service: ServiceProcess = await startService(place, SECRETS);
    let [taken, repeats, kills] = [0, 0, 0];
    let restarting: Promise<void> | null = null;
    // Each kill comes a little after a part of the stream, so that it meets work in the middle.
    async function disturb(): Promise<void> {
      await pause(Math.random() * 50);
      service.kill("SIGKILL");
      await service.ended();
      service = await startService(place, SECRETS);
    }
    await sendAll(lanes, async (sent) => {
      repeats += (await sendUntilTaken(() => service.url, sent)).length - 1;
      taken++;
      if (kills < KILLS && taken > (kills + 0.5) * lanes.length * 5 / (KILLS + 1)) {
        kills++;
        restarting = (restarting ?? Promise.resolve()).then(disturb);
      }
    });
    await restarting;
    expect(await service.stop()).toBe(0);
    expect([taken, kills]).toEqual([SUBJECTS * 5, KILLS]);
    expect(repeats).toBeGreaterThan(0);

    expect(await effectsAt(place)).toEqual(expected);
  },
);
