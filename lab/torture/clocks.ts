import { setTimeout as pause } from "node:timers/promises";
import { send } from "../client.ts";
import { withDatabase } from "../database.ts";
import { Load } from "./load.ts";
import { type Books, inParts, type Scenario } from "./scenario.ts";
import { serverUrl, Stage } from "./service.ts";

export const clocks: Scenario = {
  name: "clocks",
  summary: "a machine 10 minutes ahead, a token from the future, summer time under the cron",
  rounds: 1,
  run: inParts([ahead, ...(serverUrl ? [futureToken] : [summerTime])]),
};

const LIBRARIES = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/faketime/libfaketime.so.1",
];

/** Fakes clocks that are read, but not those that measure, so that timers run as usual. */
async function fakeTime(time: string): Promise<Record<string, string> | null> {
  for (const library of LIBRARIES) {
    try {
      await Deno.stat(library);
      const measured = { FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" };
      return { LD_PRELOAD: library, FAKETIME: time, ...measured };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return null;
}

async function ahead(books: Books): Promise<string> {
  const fake = await fakeTime("+10m");
  if (!fake) return "ten minutes ahead: not tried, libfaketime is not installed";
  return await Stage.play(async (stage) => {
    const load = new Load(books.ledger, await stage.caller(), "ahead", 8);
    await pause(4000);
    await load.settle(stage);
    books.expectNone(load.failed, "calls failed, ten minutes ahead");
    return `ten minutes ahead: ${load.attempts.length} calls, ${load.failed.length} failed`;
  }, fake);
}

/**
 * Puts the clock of one of two machines on one database ahead. The other machine refuses its tokens
 * and says so.
 */
async function futureToken(books: Books): Promise<string> {
  const fake = await fakeTime("+10m");
  if (!fake) return "token from the future: not tried, libfaketime is not installed";
  return await Stage.play(async (right) => {
    const wrong = right.beside(fake);
    await wrong.start();
    const [early, late] = [await right.caller(), await wrong.caller()];
    const seen: number[] = [];
    for (
      const [{ url }, { token }] of [[right, early], [wrong, late], [right, late], [wrong, early]] as const
    ) {
      seen.push((await send("GET", `${url}/api/auth/me`, { token })).status);
    }
    books.expect(seen.join() === "200,200,401,200", `tokens of two machines: ${seen.join()}`);
    return `token from the future: ${seen[2]}, one ten minutes old: ${seen[3]}`;
  });
}

const HOURS = ["23", "00", "01", "02"];

/**
 * Plays the night in which Berlin's clocks go back. Each hour of UTC has one sweep for any time
 * zone of the machine.
 */
async function summerTime(books: Books): Promise<string> {
  if (!await fakeTime("")) return "summer time: not tried, libfaketime is not installed";
  const stage = await Stage.open();
  try {
    for (const hour of HOURS) {
      const day = hour === "23" ? "2026-10-24" : "2026-10-25";
      // The time is given as a distance from now, because libfaketime reads times of the day in the
      // process' zone, where one hour comes twice.
      const away = Math.round((Date.parse(`${day}T${hour}:06:45Z`) - Date.now()) / 1000);
      await stage.start({ ...await fakeTime(`${away < 0 ? "" : "+"}${away}s`), TZ: "Europe/Berlin" });
      await pause(60_000);
      await stage.service.stop();
    }
    const jobs = await withDatabase(stage.place, (sql) =>
      sql<{ hour: string; count: number }[]>`
      select to_char(created_on at time zone 'UTC', 'HH24') as hour, count(*) as count from pgboss.job
      where name = 'sweep-merged-tickets' group by 1 order by 1`);
    const told = jobs.map(({ hour, count }) => `${hour}: ${count}`).join(", ");
    const once = HOURS.every((hour) => jobs.some((job) => job.hour === hour && job.count === 1));
    books.expect(once && jobs.length === HOURS.length, `summer time: sweeps by hour of UTC: ${told}`);
    return `summer time: sweeps by hour of UTC: ${told}`;
  } finally {
    await stage.close();
  }
}
